// The die as it lies: pips, and words for those who listen.

import { el, svg } from "./dom.js";
import { say } from "./strings.js";

const PIPS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]], 5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

export function showDie(place, value) {
  place.hidden = !PIPS[value];
  if (place.dataset.value === String(value) || place.hidden) return;
  place.dataset.value = String(value);
  place.replaceChildren(svg("svg", { viewBox: "-32 -32 64 64", role: "img", "aria-label": say("heard_die", { die: value }) },
    svg("rect", { class: "cube", x: -29, y: -29, width: 58, height: 58, rx: 13 }),
    ...PIPS[value].map(([x, y]) => svg("circle", { cx: x * 15, cy: y * 15, r: 5.6 }))), el("span"));
}
