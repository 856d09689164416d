// What only the phone page says in a way of its own; all words are those of strings.js.

import { knows, language, say } from "./strings.js";

export const colourWord = (colour) => (knows(`colour_${colour}`) ? say(`colour_${colour}`) : String(colour));

// 0.9996 is not a hundred per cent.
export function percent(p) {
  const rounded = p >= 0.995 && p < 1 ? Math.floor(p * 1000) / 10 : Math.round(p * 100);
  return new Intl.NumberFormat(language).format(rounded);
}

// Why not, in the language of the page where we know the rule. The table's own sentence, in English,
// says which cell and whose turn.
export function whyNot(reply) {
  const inEnglish = language === "en" && reply.msg;
  if (reply.code === "illegal" && !inEnglish && knows(`why_${reply.reason}`)) return say(`why_${reply.reason}`);
  const key = `err_${reply.code}`;
  if (reply.code === "illegal" || !knows(key)) return reply.msg ? `${reply.msg[0].toUpperCase()}${reply.msg.slice(1)}.`.replace(/([.!?])\.$/, "$1") : say("err_network");
  return say(key);
}
