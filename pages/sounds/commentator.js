// The caller: off until somebody wants it, by a large button or a key; remembered for this browser.
// What calls is loaded (calling.js) when it is first wanted.

import { audible, UNHEARD } from "./player.js";
import { keep, recall } from "./remember.js";
import { say } from "./strings.js";

export class Commentator {
  #calling = null; // a promise, once it is wanted
  #board = null;
  #tilt_deg = null;
  on = recall("commentator") === "on";

  // Whether this browser can make itself heard: by its own voice, or by the sounds of a pack.
  get able() {
    return Boolean(globalThis.speechSynthesis ?? globalThis.AudioContext);
  }

  get words() {
    return say(this.on ? "commentator_on" : "commentator_off");
  }

  switch() {
    this.on = !this.on;
    keep("commentator", this.on ? "on" : "off");
    if (this.on) unlock();
    if (this.on || this.#calling) this.#do((calling) => (this.on ? calling.greet() : calling.hush()));
  }

  tilt(tilt_deg) {
    this.#tilt_deg = tilt_deg ? Math.hypot(...tilt_deg) : null;
  }

  // Also while it is off again, so that it knows what was before when it is switched on.
  hear(board) {
    const tilt_deg = this.#tilt_deg;
    if (this.on || this.#calling) this.#do((calling) => calling.hear(board, tilt_deg, this.on));
    this.#board = board;
  }

  // Something was asked of the table and not done; `text` says why.
  refuse(reply, text) {
    if (this.on) this.#do((calling) => calling.refuse(reply, text));
  }

  async #do(act) {
    const before = this.#board;
    this.#calling ??= import("./calling.js").then(({ Calling }) => new Calling(before));
    try {
      act(await this.#calling);
    } catch {
      this.#calling = null; // the server is away; it is loaded with the next call
    }
  }
}

// Some browsers let a page be heard only if that begins under a finger, and what calls may still be
// on its way then.
function unlock() {
  if (globalThis.AudioContext) audible();
  globalThis.speechSynthesis?.speak(new SpeechSynthesisUtterance(""));
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
