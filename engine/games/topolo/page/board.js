// The squares of Topolo on the scoreboard, from the public view in the document. Served as
// /static/games/topolo/board.js.

import { note, range, text } from "../../board_parts.js";
import { paint } from "../../colours.js";
import { el, svg } from "../../dom.js";
import { say } from "../../strings.js";

const RADII = { S: 0.22, M: 0.31, L: 0.41 };

export function draw(view, board) {
  const picture = [svg("rect", { class: "plate", x: 0.5, y: 0, width: 8.1, height: 8.1, rx: 0.3 })];
  const open = new Set(view.open), won = new Set(view.won), latest = board.last?.type === "place" ? board.last.cell : null;
  for (const rank of range(8)) {
    picture.push(text(0.22, 7.55 - rank, String(rank + 1), "edge"), text(rank + 1.05, 8.4, "abcdefgh"[rank], "edge"));
    for (const file of range(8)) picture.push(square("abcdefgh"[file] + (rank + 1), file, rank, { view, open, won, latest }));
  }
  const placed = Object.keys(view.board).length;
  return { plate: 0.05, width: 8.7, height: 8.75, picture, words: say("heard_squares", { n: placed }), notes: ["red", "black"].map((colour) => stock(colour, view, board)) };
}

function square(cell, file, rank, { view, open, won, latest }) {
  const piece = view.board[cell];
  const classes = ["square", rank % 2 && "even", won.has(cell) && "won", cell === latest && "latest"].filter(Boolean).join(" ");
  return svg("g", { "data-cell": cell, transform: `translate(${file + 1.05} ${7.55 - rank})` },
    svg("rect", { class: classes, x: -0.47, y: -0.47, width: 0.94, height: 0.94, rx: 0.1 }),
    piece ? disc(...piece.split("-")) : open.has(cell) ? svg("circle", { class: "open", r: 0.06 }) : null);
}

// Size by size and by letter; black is a ring, red is full.
function disc(colour, size, letter = true) {
  return svg("g", { class: `disc ${colour}` },
    svg("circle", { r: RADII[size], style: { "--colour": paint(colour) } }),
    letter ? text(0, 0, size, "size") : null);
}

function stock(colour, view, board) {
  const owner = board.players.find((player) => player.colours.includes(colour));
  const counts = Object.entries(view.left[colour]).map(([size, n]) => el("b", { class: "count" }, `${n}${size}`));
  return note(svg("svg", { class: "note-mark", viewBox: "-.5 -.5 1 1", "aria-hidden": "true" }, disc(colour, "L", false)),
    `${owner?.name ?? colour} `, ...counts);
}
