// The picture beside the rules of Topominos. Served as
// /static/games/topominos/rules.js.

import { range } from "../../board_parts.js";
import { svg } from "../../dom.js";

const PIECES = ["100010000", "001100010", "010001101"]; // together nine dots, none over another

// Three pieces that complete a stack.
export function picture() {
  return svg("svg", { viewBox: "0 0 10.6 3.4", "aria-hidden": "true" }, ...PIECES.flatMap((dots, number) => [
    svg("rect", { class: "rule-cell level-2", x: 3.6 * number + 0.1, y: 0.1, width: 3.2, height: 3.2, rx: 0.3 }),
    ...range(9).filter((dot) => dots[dot] === "1").map((dot) => svg("circle", { class: "rule-dot", cx: 3.6 * number + 0.7 + (dot % 3), cy: 0.7 + Math.floor(dot / 3), r: 0.32 })),
  ]));
}
