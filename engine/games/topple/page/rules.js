// The picture beside the rules of Topple. Served as /static/games/topple/rules.js.
// Ids in brackets are those of docs/rules.md.

import { range, text } from "../../board_parts.js";
import { svg } from "../../dom.js";

// The board from above, with the level of each cell: what a roll of 1 to 5 allows (T1, T2).
export function picture() {
  return svg("svg", { viewBox: "0 0 5.4 5.4", "aria-hidden": "true" }, ...range(25).flatMap((cell) => {
    const file = cell % 5, rank = Math.floor(cell / 5), level = Math.abs(file - 2) + Math.abs(rank - 2) + 1;
    return [svg("rect", { class: `rule-cell level-${level}`, x: file + 0.35, y: 4.1 - rank, width: 0.94, height: 0.94, rx: 0.1 }),
      text(file + 0.82, 4.57 - rank, String(level), "rule-number")];
  }));
}
