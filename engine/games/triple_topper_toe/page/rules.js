// The picture beside the rules of Triple Topper Toe. Served as
// /static/games/triple-topper-toe/rules.js.

import { range } from "../../board_parts.js";
import { svg } from "../../dom.js";

const LINE = 5; // every cell on the diagonal of a layer

// Four layers of four by four; one line is lit (X7).
export function picture() {
  return svg("svg", { viewBox: "0 0 19 4.6", "aria-hidden": "true" }, ...range(64).map((cell) => {
    const layer = Math.floor(cell / 16), at = cell % 16, lit = layer === 1 && at % LINE === 0;
    return svg("rect", { class: `rule-cell ${lit ? "lit" : "level-3"}`, x: 4.75 * layer + (at % 4) + 0.1, y: 3.4 - Math.floor(at / 4), width: 0.9, height: 0.9, rx: 0.1 });
  }));
}
