// The words of the phone page, in the language of who looks at it (strings.js). A language is one file of data with the keys of play_words_en.js; what is
// not there is said as on the scoreboard (strings.js).

import { words as de } from "./play_words_de.js";
import { words as en } from "./play_words_en.js";
import { words as fr } from "./play_words_fr.js";
import { knows as known, language, say as shared } from "./strings.js";

export const LANGUAGES = { en, de, fr };

const plural = new Intl.PluralRules(language);

export function say(key, values = {}) {
  const found = LANGUAGES[language][key];
  if (found === undefined) return shared(key, values);
  const text = typeof found === "string" ? found : (found[plural.select(Math.abs(values.n ?? 0))] ?? found.other);
  return text.replace(/\{(\w+)\}/g, (_, name) => shown(values[name]));
}

export const knows = (key) => key in en || known(key);
export const colourWord = (colour) => (knows(`colour_${colour}`) ? say(`colour_${colour}`) : String(colour));
export const wins = (winners) => (winners.length ? say("wins", { n: winners.length, winners }) : say("wins_nobody"));

// 0.9996 is not a hundred per cent.
export function percent(p) {
  const rounded = p >= 0.995 && p < 1 ? Math.floor(p * 1000) / 10 : Math.round(p * 100);
  return new Intl.NumberFormat(language).format(rounded);
}

function shown(value) {
  return Array.isArray(value) ? new Intl.ListFormat(language).format(value) : String(value ?? "");
}

// Why not, in the language of the page where we know the rule, else as the table says it.
export function whyNot(reply) {
  if (reply.code === "illegal" && knows(`why_${reply.reason}`)) return say(`why_${reply.reason}`);
  const key = `err_${reply.code}`;
  if (reply.code === "illegal" || !knows(key)) return reply.msg ? `${reply.msg[0].toUpperCase()}${reply.msg.slice(1)}.`.replace(/([.!?])\.$/, "$1") : say("err_network");
  return say(key);
}
