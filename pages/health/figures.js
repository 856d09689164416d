// Figures with names and units from their keys, so that whatever a table newly measures is
// shown without this page knowing it: `noise_g: 0.4` is "noise 0.4 g".

import { el } from "./dom.js";
import { knows, number, percent, say, worded as translated } from "./strings.js";

const UNITS = {
  g: "g", s: "s", ms: "ms", us: "µs", hz: "Hz", deg: "°", dps: "°/s", gmm: "g mm", mm: "mm", ppm: "ppm", v: "V", c: "°C",
  mv: "mV", bytes: "B", pct: "%", percent: "%",
};

// [words, value as text] of every figure in an object; objects inside are walked through.
// `short` prefers words for where it is plain whose figures they are.
// `words` of an object are shown in the language of the page, by their `code` and its `args`.
export function figures(found, leaveOut = [], short = false) {
  if (found?.code !== undefined) {
    const { code, args, ...rest } = found;
    if (rest.words) rest.words = translated({ reason: rest.words, code, args });
    return figures(rest, leaveOut, short);
  }
  return Object.entries(found ?? {}).filter(([key]) => !leaveOut.includes(key)).flatMap(([key, value]) =>
    isObject(value)
      ? figures(value, [], short).map(([words, text]) => [`${label(key)}: ${words}`, text])
      : Array.isArray(value) && value.some(isObject)
      ? value.flatMap((one, at) => figures(one).map(([words, text]) => [`${label(key)} ${at + 1}: ${words}`, text]))
      : value === null || value === "" || value.length === 0 ? [] : [[label(key, short), worded(key, value)]]);
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function unitOf(key) {
  if (key.endsWith("_g_min")) return "g/min";
  const last = key.split("_").at(-1);
  return key.includes("_") ? UNITS[last] : undefined;
}

function label(key, short = false) {
  for (const name of short ? [`short_${key}`, `figure_${key}`] : [`figure_${key}`]) if (knows(name)) return say(name);
  const parts = key.split("_");
  return (unitOf(key) ? parts.slice(0, -1) : parts).join(" ");
}

function worded(key, value) {
  if (Array.isArray(value)) return value.map((one) => (one === null ? "–" : worded(key, one))).join(" / ");
  if (typeof value === "boolean") return say(value ? "yes" : "no");
  if (typeof value !== "number") return knows(`value_${value}`) ? say(`value_${value}`) : String(value);
  const unit = unitOf(key);
  const text = number(Number.isInteger(value) ? value : Number(value.toPrecision(4)));
  return unit ? text + (unit === "°" ? "" : "\u202f") + unit : text;
}

export function list(place, rows) {
  place.replaceChildren(...rows.flatMap(([words, text]) => [el("dt", {}, words), el("dd", {}, text)]));
}

export function grams(value) {
  return `${number(value, 1)}\u202fg`;
}

export function milliseconds(value) {
  return `${number(Math.round(value * 10) / 10, value < 10 ? 1 : 0)}\u202fms`;
}

export { percent };
