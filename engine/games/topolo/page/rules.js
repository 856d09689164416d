// The picture beside the rules of Topolo. Served as /static/games/topolo/rules.js.

import { range } from "../../board_parts.js";
import { svg } from "../../dom.js";

// Eight rows, of which every second is filled first (P1).
export function picture() {
  return svg("svg", { viewBox: "0 0 8.4 8.4", "aria-hidden": "true" }, ...range(64).map((cell) => {
    const file = cell % 8, rank = Math.floor(cell / 8);
    return svg("rect", { class: `rule-cell ${rank % 2 ? "level-5" : "level-1"}`, x: file + 0.2, y: 7.2 - rank, width: 0.92, height: 0.92, rx: 0.1 });
  }));
}
