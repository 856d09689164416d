// The commentator: off until somebody wants it, by a large button or a key; remembered for this
// browser. It hears each document and the tilt, and says what `commentary.js` makes of them.

import { Commentary } from "./commentary.js";
import { keep, recall } from "./remember.js";
import { say } from "./strings.js";
import { Voice } from "./voice.js";

export class Commentator {
  #commentary = new Commentary();
  #voice = new Voice();
  #tilt_deg = null;
  on = recall("commentator") === "on";

  // Whether this browser has a voice.
  get able() {
    return this.#voice.able;
  }

  get words() {
    return say(this.on ? "commentator_on" : "commentator_off");
  }

  switch() {
    this.on = !this.on;
    keep("commentator", this.on ? "on" : "off");
    if (this.on) this.#voice.say({ words: [say("c_hello")], important: false });
    else this.#voice.hush();
  }

  tilt(tilt_deg) {
    this.#tilt_deg = tilt_deg ? Math.hypot(...tilt_deg) : null;
  }

  // Also while it is off, so that it knows what was before when it is switched on.
  hear(board) {
    const said = this.#commentary.about(board, this.#tilt_deg);
    if (this.on) this.#voice.say(said);
  }
}

// Button and key c of the scoreboard.
export function commentatorButton(commentator, button) {
  const label = () => {
    button.setAttribute("aria-pressed", String(commentator.on));
    button.textContent = commentator.words;
  };
  const turn = () => { commentator.switch(); label(); };
  button.hidden = !commentator.able;
  button.title = say("commentator_key");
  button.addEventListener("click", turn);
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "c" && !event.ctrlKey && !event.metaKey && !event.altKey) turn();
  });
  label();
}
