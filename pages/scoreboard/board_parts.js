// What the drawings of the boards without a tower are made of.

import { el, svg } from "./dom.js";

export const text = (x, y, words, kind) => svg("text", { x, y, class: kind, "text-anchor": "middle", dy: ".36em" }, words);
export const note = (...parts) => el("span", { class: "board-note" }, ...parts);
export const range = (n) => Array.from({ length: n }, (_, index) => index);
