// What calls, once somebody wants it: hears each document and the tilt, makes calls of them
// (commentary.js), and has them said by sounds or by a voice.

import { known, partsOf } from "./caller.js";
import { call, Commentary, inWords, refusal } from "./commentary.js";
import { Voice } from "./voice.js";

export class Calling {
  #commentary = new Commentary();
  #voice = new Voice();
  #board = { seq: 0, players: [] };

  // `board`: what was there before it was wanted; null before the first document.
  constructor(board) {
    if (board) this.hear(board, null, false);
  }

  hear(board, tilt_deg, aloud) {
    this.#board = board;
    const { calls, important } = this.#commentary.about(board, tilt_deg);
    if (aloud) this.#say(calls, important);
  }

  greet() {
    this.#say([call("hello")], false);
  }

  refuse(reply, text) {
    this.#say([refusal(reply, text)], false);
  }

  hush() {
    this.#voice.hush();
  }

  async #say(calls, important) {
    if (!calls.length) return;
    const asked = known();
    if (asked) await asked;
    this.#voice.say({ parts: partsOf(calls, calls.map((one) => inWords(one, this.#board)), this.#board), important });
  }
}
