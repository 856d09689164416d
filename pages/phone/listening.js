// Voice commands, by the phone's own recognition of speech. Loaded when they are switched on
// (play.js), and off again with the page.
//
// What is said counts as a tap on the button that says so: one that stands on the page now, awake,
// by its label or by what it has in `data-says`. So no rule is written a second time. Whatever no
// button says, or more than one, does nothing but to be shown.

import { language, say } from "./strings.js";

const DEAF = ["join", "claim", "seat", "invite", "more", "end", "off", "wait"]; // nobody joins, leaves or ends by a word
const HEARD_AS = 5; // ways in which the recogniser may have understood it, the likeliest first
const TIRED = ["not-allowed", "service-not-allowed", "audio-capture", "language-not-supported", "network"];

// Listens until `stop`. `tell` shows a sentence, `ended` is called when the browser will not listen.
export function listen({ players, tell, ended }) {
  const recognition = new (globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition)();
  let on = true;
  const begin = () => { if (on && !document.hidden) try { recognition.start(); } catch { /* it listens already */ } };
  const seen = () => (document.hidden ? recognition.abort() : begin());
  const stop = () => {
    on = false;
    document.removeEventListener("visibilitychange", seen);
    recognition.abort();
  };
  const lang = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
  Object.assign(recognition, { lang, continuous: true, interimResults: false, maxAlternatives: HEARD_AS });
  recognition.onresult = ({ results, resultIndex }) => {
    for (const result of [...results].slice(resultIndex)) if (result.isFinal) obey([...result].map(({ transcript }) => transcript), players(), tell);
  };
  // Browsers stop by themselves after a while.
  recognition.onend = begin;
  recognition.onerror = ({ error }) => {
    if (!TIRED.includes(error)) return;
    stop();
    ended();
    tell(say(error === "network" ? "voice_no_network" : "voice_refused"), "bad");
  };
  document.addEventListener("visibilitychange", seen);
  begin();
  return { stop };
}

// Taps the button that says what was heard. Who was it is asked in a dialog: it is opened for that.
function obey(ways, players, tell) {
  const heard = ways.map(plain);
  const who = heard.some((words) => players.some((player) => phrases(say("voice_was", { player })).includes(words)));
  const found = meant(heard) ?? (who ? behind(heard) : null);
  if (found) found.click();
  else tell(say("voice_unclear", { heard: ways[0].trim() }), "bad");
}

function behind(heard) {
  const panel = document.getElementById("panel");
  for (const door of panel.querySelectorAll("[data-leads]")) {
    door.click();
    const found = meant(heard);
    if (found) return found;
    panel.querySelector("[data-name=back]")?.click();
  }
  return null;
}

// The one button that says it in the likeliest way that any button says; null if there are several.
function meant(heard) {
  const all = awake().map((button) => ({ button, says: saidBy(button) }));
  for (const words of heard) {
    const found = all.filter(({ says }) => words && says.includes(words));
    if (found.length) return found.length === 1 ? found[0].button : null;
  }
  return null;
}

function awake() {
  const { panel } = document.getElementById("panel").dataset;
  if (DEAF.includes(panel)) return [];
  // Before a game there are names and choices; only what is sent to the table is meant aloud.
  const buttons = document.querySelectorAll(`#panel button${panel === "start" ? "[data-acts]" : ""}, #bar button`);
  return [...buttons].filter((button) => button.getAttribute("aria-disabled") !== "true");
}

function saidBy(button) {
  const words = [...button.childNodes].filter((node) => !node.matches?.("small, svg, [aria-hidden=true]")).map(({ textContent }) => textContent).join(" ");
  return [plain(words), plain(button.getAttribute("aria-label") ?? ""), ...phrases(button.dataset.says ?? "")].filter(Boolean);
}

const phrases = (text) => text.split("|").map(plain);

const wordsOf = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const numbers = wordsOf(say("voice_numbers"));

// Without case, accents, signs and words for small numbers: "Rolled Three!" is "rolled 3", "c 3" is "c3".
function plain(text) {
  return wordsOf(text).map((word) => (numbers.includes(word) ? numbers.indexOf(word) + 1 : word)).join(" ").replace(/\b([a-h]) (\d)\b/g, "$1$2");
}
