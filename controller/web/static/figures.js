// Figures with names and units from their keys, so that whatever a table newly measures is
// shown without this page knowing it: `noise_g: 0.4` is "noise 0.4 g".

import { el } from "./dom.js";
import { knows, number, percent, say } from "./strings.js";

const UNITS = {
  g: "g", s: "s", ms: "ms", us: "µs", hz: "Hz", deg: "°", dps: "°/s", gmm: "g mm", mm: "mm", ppm: "ppm", v: "V", c: "°C",
  mv: "mV", bytes: "B", pct: "%", percent: "%",
};

// [words, value as text] of every figure in an object; objects inside are walked through.
// `short` takes the names from the keys even where we know better words.
export function figures(found, leaveOut = [], short = false) {
  return Object.entries(found ?? {}).filter(([key]) => !leaveOut.includes(key)).flatMap(([key, value]) =>
    isObject(value)
      ? figures(value).map(([words, text]) => [`${label(key)}: ${words}`, text])
      : value === null || value === "" ? [] : [[label(key, short), worded(key, value)]]);
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function unitOf(key) {
  const last = key.split("_").at(-1);
  return key.includes("_") ? UNITS[last] : undefined;
}

function label(key, short = false) {
  if (!short && knows(`figure_${key}`)) return say(`figure_${key}`);
  const parts = key.split("_");
  return (unitOf(key) ? parts.slice(0, -1) : parts).join(" ");
}

function worded(key, value) {
  if (Array.isArray(value)) return value.map((one) => worded(key, one)).join(" / ");
  if (typeof value === "boolean") return say(value ? "yes" : "no");
  if (typeof value !== "number") return String(value);
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
