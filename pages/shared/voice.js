// The browser's voice: one thing at a time, never two at once, and nothing that is old.
//
// What comes while something is being said waits; something newer takes its place, unless what waits
// is important (a topple, a question, who has won): then both are said.

import { language } from "./strings.js";

const LONGEST_MS = 15_000; // some browsers forget to say that they have finished

export class Voice {
  #waiting = [];
  #timer = 0;
  #saying = false;

  get able() {
    return Boolean(globalThis.speechSynthesis);
  }

  say({ words, important }) {
    if (!this.able || !words.length) return;
    this.#waiting = this.#waiting.filter((one) => one.important);
    this.#waiting.push({ text: words.join(" "), important });
    this.#next();
  }

  hush() {
    this.#waiting = [];
    globalThis.speechSynthesis?.cancel();
    this.#done();
  }

  #next() {
    const next = this.#saying ? undefined : this.#waiting.shift();
    if (!next) return;
    const said = new SpeechSynthesisUtterance(next.text);
    said.lang = language;
    // A voice of this machine, so that it also speaks where there is no internet.
    said.voice = speechSynthesis.getVoices().find((voice) => voice.localService && voice.lang.startsWith(language)) ?? null;
    for (const end of ["end", "error"]) said.addEventListener(end, () => this.#done());
    this.#saying = true;
    this.#timer = setTimeout(() => this.#done(), LONGEST_MS);
    speechSynthesis.speak(said);
  }

  #done() {
    clearTimeout(this.#timer);
    this.#saying = false;
    this.#next();
  }
}
