// While nobody plays, the scoreboard shows the league now and then in the tower's place.

import { el } from "./dom.js";
import { here, say } from "./strings.js";

const AFTER_MS = 60_000, EACH_MS = 20_000;

export class Attract {
  #timer = 0;

  constructor(place) {
    this.place = place;
  }

  // Called with every document.
  show({ board, league }) {
    const idle = Boolean(league) && (!board || ["idle", "over"].includes(board.phase));
    if (idle && !this.#timer) this.#timer = setTimeout(() => this.#turn(), AFTER_MS);
    if (idle || !this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#away();
  }

  #turn() {
    if (this.place.hidden) {
      this.place.hidden = false;
      // Made anew each time, so that it is the league of now.
      this.place.replaceChildren(el("iframe", { src: here("/league"), title: say("league"), tabindex: "-1" }));
    } else this.#away();
    this.#timer = setTimeout(() => this.#turn(), EACH_MS);
  }

  #away() {
    this.place.hidden = true;
    this.place.replaceChildren();
  }
}
