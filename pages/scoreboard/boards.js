// The boards of the games without a tower, from the public view in the document; each game brings
// its drawing along (page/board.js in its folder). Flat, large, and never told apart by colour
// alone. Nothing hidden can be drawn here: it is not in the document.

import { el, svg } from "./dom.js";
import { BOARDS } from "./games/board.js";

export function showBoard(place, board) {
  const drawing = board.view && BOARDS[board.kind]?.draw;
  place.hidden = !drawing;
  if (!drawing) return place.replaceChildren();
  const { width, height, plate = 1, picture, words, notes } = drawing(board.view, board);
  place.style.setProperty("--plate", plate);
  place.replaceChildren(
    svg("svg", { class: "board-svg", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words }, ...picture),
    el("p", { class: "board-notes" }, ...notes));
}
