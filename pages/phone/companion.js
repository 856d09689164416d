// What a phone does for whoever holds it: it stays awake while a game runs, and it buzzes when it
// is their turn or the table asks something. Browsers allow the first only over HTTPS, and some
// phones have no buzzer: then nothing happens.

import { insists, lastQuestions } from "./asking.js";

const TURN_MS = [90, 60, 90], QUESTION_MS = [250];

export class Companion {
  #lock = null;
  #wanted = false;

  constructor() {
    // A browser takes the lock back when its page is hidden.
    document.addEventListener("visibilitychange", () => this.#hold());
  }

  // `seat`: whose phone it is; null for one that speaks for all.
  hear(board, before, seat) {
    this.#wanted = Boolean(board.game) && !["idle", "over"].includes(board.phase);
    this.#hold();
    const buzz = before && before.game === board.game ? occasion(board, before, seat) : null;
    if (buzz) navigator.vibrate?.(buzz);
  }

  async #hold() {
    if (!this.#wanted || document.hidden) {
      const lock = this.#lock;
      this.#lock = null;
      return lock?.release();
    }
    if (this.#lock && !this.#lock.released) return;
    try {
      this.#lock = await navigator.wakeLock?.request("screen");
    } catch { /* a low battery, or no HTTPS */ }
  }
}

function occasion(board, before, seat) {
  if (lastQuestions(board).length && before.phase !== "over") return QUESTION_MS;
  if (insists(board) && board.pending.id !== before.pending?.id) return QUESTION_MS;
  const player = board.turn?.player, playing = ["roll", "act"].includes(board.phase);
  const began = player !== before.turn?.player || before.phase === "clear";
  return seat && playing && player === seat && began ? TURN_MS : null;
}
