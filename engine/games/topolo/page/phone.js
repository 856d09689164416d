// Topolo on a phone. What may be done comes from the table (`view`), so no rule is written
// twice. Served as /static/games/topolo/phone.js.

import { paint } from "../../colours.js";
import { el, svg } from "../../dom.js";
import { act, range, title, waiting } from "../../play_hand.js";
import { button, heading, row } from "../../play_parts.js";
import { say } from "../../strings.js";

export function panel(app) {
  const { board } = app, view = board.view, colour = view.current;
  const may = app.can("action");
  const left = view.left[colour] ?? {};
  if (!left[app.memo.size]) app.memo.size = ["L", "M", "S"].find((size) => left[size]) ?? "S";
  const open = new Set(may ? view.open : []);
  const sizes = ["S", "M", "L"].map((size) => button([disc(colour, size), el("small", {}, `${left[size] ?? 0}`)], () => { app.memo.size = size; app.redraw(); },
    { kind: "pick size", pressed: app.memo.size === size, name: `size-${size}`, "aria-label": say("size_left", { size: say(`size_${size}`), n: left[size] ?? 0 }) }));
  const squares = range(64).map((at) => {
    const file = "abcdefgh"[at % 8], cell = file + (8 - Math.floor(at / 8)), piece = view.board[cell];
    const kind = `square ${cell[1] % 2 ? "" : "even"} ${board.last?.cell === cell ? "latest" : ""} ${view.won?.includes(cell) ? "won" : ""}`;
    if (!open.has(cell)) return el("div", { class: kind, "aria-hidden": "true" }, ...(piece ? [disc(...piece.split("-"))] : []));
    return button(el("span", { class: "open-dot" }), () => act(app, { type: "place", cell, size: app.memo.size }), { kind: `${kind} open`, acts: true, name: cell, "data-cell": cell, "data-says": cell, "aria-label": say("square_empty", { cell }) });
  });
  return [...heading(title(app), may ? say("size_which") : null), may ? row(...sizes) : waiting(app), el("div", { class: "squares" }, ...squares)];
}

const RADII = { S: 7, M: 10, L: 13 };

function disc(colour, size) {
  return svg("svg", { class: `disc ${colour}`, viewBox: "-16 -16 32 32", "aria-hidden": "true" },
    svg("circle", { r: RADII[size], style: { "--colour": paint(colour) } }), svg("text", { "text-anchor": "middle", dy: ".36em" }, size));
}
