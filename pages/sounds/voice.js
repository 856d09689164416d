// Says one thing at a time, never two at once, and nothing that is old.
//
// What comes while something is being said waits; something newer takes its place, unless what waits
// is important (a topple, a question, who has won): then both are said. A thing is a list of parts:
// sounds of a caller pack one after the other, or where there are none, or they cannot be played, a
// text for the browser's own voice.

import { playAll } from "./player.js";
import { language } from "./strings.js";

const LONGEST_MS = 15_000; // some browsers forget to say that they have finished

export class Voice {
  #waiting = [];
  #now = null; // stops what is being said

  say({ parts, important }) {
    const found = parts.filter(({ sounds, text }) => sounds || (text && speaks()));
    if (!found.length) return;
    this.#waiting = this.#waiting.filter((one) => one.important);
    this.#waiting.push({ parts: found, important });
    if (!this.#now) this.#next();
  }

  hush() {
    this.#waiting = [];
    this.#now?.abort();
    this.#now = null;
    globalThis.speechSynthesis?.cancel();
  }

  async #next() {
    const next = this.#waiting.shift();
    if (!next) return;
    const { signal } = this.#now = new AbortController();
    for (const part of next.parts) {
      await perform(part, signal);
      if (signal.aborted) return;
    }
    this.#now = null;
    this.#next();
  }
}

// Whether this browser speaks at all.
export const speaks = () => Boolean(globalThis.speechSynthesis);

// Whether it has any voice; some have the means and nobody who speaks.
export const hasAnyVoice = () => speaks() && speechSynthesis.getVoices().length > 0;

// Whether it has a voice for the language of the page.
export const hasVoice = () => speaks() && speechSynthesis.getVoices().some(({ lang }) => lang.startsWith(language));

async function perform({ sounds, text }, signal) {
  if (sounds && (await playAll(sounds, signal))) return;
  if (text && speaks() && !signal.aborted) await spoken(text, signal);
}

function spoken(text, signal) {
  const said = new SpeechSynthesisUtterance(text);
  said.lang = language;
  // A voice of this machine, so that it also speaks where there is no internet.
  said.voice = speechSynthesis.getVoices().find((voice) => voice.localService && voice.lang.startsWith(language)) ?? null;
  return new Promise((done) => {
    const timer = setTimeout(done, LONGEST_MS);
    const end = () => { clearTimeout(timer); done(); };
    for (const name of ["end", "error"]) said.addEventListener(name, end);
    signal.addEventListener("abort", end);
    speechSynthesis.speak(said);
  });
}
