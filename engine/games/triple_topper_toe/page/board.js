// The four layers of the cube on the scoreboard, from the public view in the document. Served as
// /static/games/triple-topper-toe/board.js.

import { note, range, text } from "../../board_parts.js";
import { paint } from "../../colours.js";
import { svg } from "../../dom.js";
import { say } from "../../strings.js";

const ROWS = ["red", "yellow", "green", "blue"], COLUMNS = ["circle", "heart", "triangle", "square"];
const SHAPES = {
  circle: "M0-7a7 7 0 1 0 .01 0z",
  heart: "M0 7C-9 0-8-7-4-7-1.5-7 0-4.5 0-3.5 0-4.5 1.5-7 4-7 8-7 9 0 0 7z",
  triangle: "M0-7L7.5 6h-15z",
  square: "M-6.3-6.3h12.6v12.6h-12.6z",
};
const SIDE = 22, LAYER = 4 * SIDE + 18;

export function draw(view, board) {
  const won = new Set(view.lines.flat()), latest = board.last?.type === "play" ? board.last.cell : null;
  const picture = range(4).map((layer) =>
    svg("g", { class: "layer", transform: `translate(${(layer % 2) * LAYER} ${layer < 2 ? 0 : LAYER})` },
      svg("rect", { class: "plate", x: 1, y: 1, width: LAYER - 4, height: LAYER - 4, rx: 5 }),
      text(LAYER / 2 - 1, 7.5, String(layer + 1), "layer-number"),
      ...ROWS.flatMap((row, r) => COLUMNS.map((column, c) =>
        spot(`${row}-${column}-${layer + 1}`, [row, column, r, c], { view, won, latest })))));
  const hands = board.players.map((player) =>
    note(svg("svg", { class: "note-mark", viewBox: "-9 -9 18 18", "aria-hidden": "true" }, sign(player.colours[0])),
      say("cards_held", { player: player.name, n: view.hands[player.colours[0]] })));
  const size = 2 * LAYER - 2;
  return { width: size, height: size, picture, words: say("heard_cube", { n: Object.keys(view.board).length }),
    notes: [...hands, note(say("pile", { n: view.pile }))] };
}

function spot(cell, [row, column, r, c], { view, won, latest }) {
  const taken = view.board[cell];
  const classes = ["spot", taken && "taken", won.has(cell) && "won", cell === latest && "latest"].filter(Boolean).join(" ");
  return svg("g", { "data-cell": cell, class: classes, transform: `translate(${8 + SIDE * (c + 0.5)} ${13 + SIDE * (r + 0.5)})` },
    svg("rect", { x: -SIDE / 2 + 1, y: -SIDE / 2 + 1, width: SIDE - 2, height: SIDE - 2, rx: 3 }),
    svg("path", { class: "shape", d: SHAPES[column], style: { "--colour": paint(row) } }),
    taken ? sign(taken) : null);
}

function sign(seat) {
  const path = seat === "x" ? "M-6-6L6 6M6-6L-6 6" : "M0-6.5a6.5 6.5 0 1 0 .01 0z";
  return svg("g", { class: `sign ${seat}`, style: { "--colour": paint(seat) } },
    svg("path", { class: "under", d: path }), svg("path", { d: path }));
}
