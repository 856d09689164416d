// The caller: off until somebody wants it, by a large button or a key; remembered for this browser.
// It hears each document and the tilt, and calls what `commentary.js` makes of them.

import { known, partsOf } from "./caller.js";
import { call, Commentary, inWords, refusal } from "./commentary.js";
import { audible, UNHEARD } from "./player.js";
import { keep, recall } from "./remember.js";
import { say } from "./strings.js";
import { speaks, Voice } from "./voice.js";

export class Commentator {
  #commentary = new Commentary();
  #voice = new Voice();
  #tilt_deg = null;
  #board = { seq: 0, players: [] };
  on = recall("commentator") === "on";

  // Whether this browser can make itself heard: by its own voice, or by the sounds of a pack.
  get able() {
    return speaks() || Boolean(globalThis.AudioContext);
  }

  get words() {
    return say(this.on ? "commentator_on" : "commentator_off");
  }

  switch() {
    this.on = !this.on;
    keep("commentator", this.on ? "on" : "off");
    if (this.on) this.#say([call("hello")], false);
    else this.#voice.hush();
  }

  tilt(tilt_deg) {
    this.#tilt_deg = tilt_deg ? Math.hypot(...tilt_deg) : null;
  }

  // Also while it is off, so that it knows what was before when it is switched on.
  hear(board) {
    this.#board = board;
    const { calls, important } = this.#commentary.about(board, this.#tilt_deg);
    if (this.on) this.#say(calls, important);
  }

  // Something was asked of the table and not done; `text` says why.
  refuse(reply, text) {
    if (this.on) this.#say([refusal(reply, text)], false);
  }

  async #say(calls, important) {
    if (!calls.length) return;
    const asked = known();
    if (asked) await asked;
    this.#voice.say({ parts: partsOf(calls, calls.map((one) => inWords(one, this.#board)), this.#board), important });
  }
}

// Button and key c of the scoreboard.
export function commentatorButton(commentator, button) {
  const label = () => {
    button.setAttribute("aria-pressed", String(commentator.on));
    button.textContent = commentator.words;
    delete button.dataset.unheard;
  };
  const turn = () => {
    if (!("unheard" in button.dataset)) commentator.switch();
    label();
  };
  addEventListener(UNHEARD, () => {
    if (!commentator.on) return;
    button.dataset.unheard = "";
    button.textContent = say("commentator_unheard");
    const woken = () => { audible(); setTimeout(label); }; // after the button has seen this touch
    addEventListener("pointerup", woken, { once: true });
    addEventListener("keyup", woken, { once: true });
  });
  button.hidden = !commentator.able;
  button.title = say("commentator_key");
  button.addEventListener("click", turn);
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "c" && !event.ctrlKey && !event.metaKey && !event.altKey) turn();
  });
  label();
}
