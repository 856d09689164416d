// Who calls on this screen: the sounds of a pack that the server has, or the browser's own voice.
// Chosen on the page of the sounds; until then the browser's voice, or where it has none for the
// language of the page, the pack that is shipped for it.

import { jingleOf, soundsOf } from "./caller_pack.js";
import { keep, recall } from "./remember.js";
import { language } from "./strings.js";
import { hasAnyVoice, hasVoice } from "./voice.js";

export const OWN_VOICE = "(voice)"; // no pack can have this name
const FRESH_MS = 30_000; // a changed folder is heard of with the next call after this

const NONE = { packs: [], names: {}, jingles: {}, refused: [] };
let listed = NONE;
let asked_ms = -Infinity;
let first = null;

// All that there is; asked for anew now and then, and kept if nobody answers.
export async function callers() {
  asked_ms = performance.now();
  try {
    const answer = await fetch("/callers.json");
    if (answer.ok) listed = await answer.json();
  } catch { /* the server is away; what is known goes on */ }
  return listed;
}

// Resolves once it is known which packs there are; null where the browser's own voice speaks.
export function known() {
  const chosen = chosenCaller();
  return chosen === OWN_VOICE || (chosen === "" && hasVoice()) ? null : (first ??= callers());
}

export const chosenCaller = () => recall("caller") ?? "";
export const chooseCaller = (id) => keep("caller", id);

// The pack that is in use now; null for the browser's own voice.
export function packInUse(wanted = chosenCaller()) {
  if (wanted === OWN_VOICE) return null;
  const chosen = listed.packs.find(({ id }) => id === wanted);
  return chosen ?? (hasVoice() ? null : listed.packs.find((pack) => pack.language === language && !pack.own) ?? null);
}

// Calls as parts for the voice. Neighbouring texts become one, as sentences of one voice.
export function partsOf(calls, words, board) {
  if (performance.now() - asked_ms > FRESH_MS) callers();
  const pack = packInUse(), parts = [], voiceless = pack !== null && !hasAnyVoice();
  calls.forEach((call, index) => {
    const sounds = pack && soundsOf(pack, call, board, listed.names), text = voiceless ? "" : words[index];
    if (!sounds && parts.length && !parts.at(-1).sounds) parts.at(-1).text += ` ${text}`;
    else parts.push({ sounds, text });
    if (call.id === "wins") parts.push(...jingles(call.values.winners, pack));
  });
  return parts;
}

const jingles = (winners, pack) => winners.map((name) => jingleOf(name, pack, listed.jingles)).filter(Boolean).map((sound) => ({ sounds: [sound], text: "" }));
