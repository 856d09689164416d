// The boards of the games without a tower, from the public view in the document: Topolo's
// squares, the four layers of the cube, the compartments of Topominos. Flat, large, and never
// told apart by colour alone. Nothing hidden can be drawn here: it is not in the document.

import { mark, paint, seatPaint } from "./colours.js";
import { el, svg } from "./dom.js";
import { say, signed } from "./strings.js";

const BOARDS = { topolo, "triple-topper-toe": cube, topominos };

export function showBoard(place, board) {
  const drawing = board.view && BOARDS[board.kind];
  place.hidden = !drawing;
  if (!drawing) return place.replaceChildren();
  const { width, height, picture, words, notes } = drawing(board.view, board);
  place.dataset.kind = board.kind;
  place.replaceChildren(
    svg("svg", { class: "board-svg", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words }, ...picture),
    el("p", { class: "board-notes" }, ...notes));
}

const text = (x, y, words, kind) => svg("text", { x, y, class: kind, "text-anchor": "middle", dy: ".36em" }, words);
const note = (...parts) => el("span", { class: "board-note" }, ...parts);
const range = (n) => Array.from({ length: n }, (_, index) => index);

/* ---------------------------------------------------------------- Topolo */

const RADII = { S: 0.22, M: 0.31, L: 0.41 };

function topolo(view, board) {
  const picture = [svg("rect", { class: "plate", x: 0.5, y: 0, width: 8.1, height: 8.1, rx: 0.3 })];
  const open = new Set(view.open), latest = board.last?.type === "place" ? board.last.cell : null;
  for (const rank of range(8)) {
    picture.push(text(0.22, 7.55 - rank, String(rank + 1), "edge"), text(rank + 1.05, 8.4, "abcdefgh"[rank], "edge"));
    for (const file of range(8)) picture.push(square("abcdefgh"[file] + (rank + 1), file, rank, { view, open, latest }));
  }
  const placed = Object.keys(view.board).length;
  return { width: 8.7, height: 8.75, picture, words: say("heard_topolo", { n: placed }), notes: ["red", "black"].map((colour) => stock(colour, view, board)) };
}

function square(cell, file, rank, { view, open, latest }) {
  const piece = view.board[cell];
  const classes = ["square", rank % 2 && "even", cell === latest && "latest"].filter(Boolean).join(" ");
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

/* ---------------------------------------------------------------- Triple Topper Toe */

const ROWS = ["red", "yellow", "green", "blue"], COLUMNS = ["circle", "heart", "triangle", "square"];
const SHAPES = {
  circle: "M0-7a7 7 0 1 0 .01 0z",
  heart: "M0 7C-9 0-8-7-4-7-1.5-7 0-4.5 0-3.5 0-4.5 1.5-7 4-7 8-7 9 0 0 7z",
  triangle: "M0-7L7.5 6h-15z",
  square: "M-6.3-6.3h12.6v12.6h-12.6z",
};
const SIDE = 22, LAYER = 4 * SIDE + 18;

function cube(view, board) {
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

/* ---------------------------------------------------------------- Topominos */

const PLACE = 30, DOT = 7.4;

function topominos(view, board) {
  const touched = new Set(view.touched);
  const picture = range(9).map((index) => compartment(index, view.board[index + 1], touched.has(index + 1)));
  const racks = board.players.map((player, seat) =>
    note(svg("svg", { class: "note-mark", viewBox: "-13 -13 26 26", "aria-hidden": "true", style: { color: seatPaint(player, seat) } }, mark(player.mark)),
      say("rack_held", { player: player.name, n: view.racks[player.name] })));
  const bag = note(say("bag", { n: view.bag }));
  const turn = view.turn_points ? [note(el("b", { class: "count" }, signed(view.turn_points)), say("this_turn"))] : [];
  const stacks = Object.keys(view.board).length;
  return { width: 3 * PLACE, height: 3 * PLACE, picture, words: say("heard_topominos", { n: stacks }), notes: [...racks, bag, ...turn] };
}

function compartment(index, stack, touched) {
  const dots = stack?.dots ?? "000000000", count = dots.split("1").length - 1;
  const x = (index % 3) * PLACE, y = Math.floor(index / 3) * PLACE;
  return svg("g", { "data-compartment": index + 1, class: touched ? "compartment touched" : "compartment", transform: `translate(${x} ${y})` },
    svg("rect", { class: "plate", x: 1, y: 1, width: PLACE - 2, height: PLACE - 2, rx: 3.4 }),
    ...range(9).map((at) => svg("circle", { class: dots[at] === "1" ? "pip full" : "pip",
      cx: PLACE / 2 + (at % 3 - 1) * DOT, cy: PLACE / 2 + 2 + (Math.floor(at / 3) - 1) * DOT, r: dots[at] === "1" ? 2.8 : 2 })),
    text(4.4, 4.3, String(index + 1), "place-number"),
    count ? text(PLACE - 4.8, 4.3, String(count), "dot-count") : null);
}
