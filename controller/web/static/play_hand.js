// The games without sensors: every move is entered here. What may be done comes from the table
// (`view`), so no rule is written a second time; this page only lets people choose among it.

import { paint } from "./colours.js";
import { el, svg } from "./dom.js";
import { button, column, heading, row } from "./play_parts.js";
import { colourWord, say } from "./play_words.js";

const PANELS = { topolo, "triple-topper-toe": cube, topominos };

export const handPanel = (app) => PANELS[app.board.kind](app);

// Whether the panel needs what only this seat may see.
export const needsHand = (board) => board.kind === "triple-topper-toe" || board.kind === "topominos";

const act = (app, action) => app.act("action", { action });
const range = (n) => Array.from({ length: n }, (_, index) => index);
const legal = (app, type) => (app.hand?.legal ?? []).filter((action) => action.type === type);

function waiting(app) {
  const player = app.board.turn?.player;
  return el("p", { class: "note" }, say("wait_turn", { player }));
}

/* ---------------------------------------------------------------- Topolo */

function topolo(app) {
  const { board } = app, view = board.view, colour = view.current;
  const may = app.can("action");
  const left = view.left[colour] ?? {};
  if (!left[app.memo.size]) app.memo.size = ["L", "M", "S"].find((size) => left[size]) ?? "S";
  const open = new Set(may ? view.open : []);
  const sizes = ["S", "M", "L"].map((size) => button([disc(colour, size), el("small", {}, `${left[size] ?? 0}`)], () => { app.memo.size = size; app.redraw(); },
    { kind: "pick size", pressed: app.memo.size === size, name: `size-${size}`, "aria-label": say("size_left", { size: say(`size_${size}`), n: left[size] ?? 0 }) }));
  const squares = range(64).map((at) => {
    const file = "abcdefgh"[at % 8], cell = file + (8 - Math.floor(at / 8)), piece = view.board[cell];
    const kind = `square ${cell[1] % 2 ? "" : "even"} ${board.last?.cell === cell ? "latest" : ""}`;
    if (!open.has(cell)) return el("div", { class: kind, "aria-hidden": "true" }, ...(piece ? [disc(...piece.split("-"))] : []));
    return button(el("span", { class: "open-dot" }), () => act(app, { type: "place", cell, size: app.memo.size }), { kind: `${kind} open`, acts: true, name: cell, "data-cell": cell, "aria-label": say("square_empty", { cell }) });
  });
  return [...heading(title(app), may ? say("size_which") : null), may ? row(...sizes) : waiting(app), el("div", { class: "topolo-board" }, ...squares)];
}

const RADII = { S: 7, M: 10, L: 13 };

function disc(colour, size) {
  return svg("svg", { class: `disc ${colour}`, viewBox: "-16 -16 32 32", "aria-hidden": "true" },
    svg("circle", { r: RADII[size], style: { "--colour": paint(colour) } }), svg("text", { "text-anchor": "middle", dy: ".36em" }, size));
}

function title(app) {
  const player = app.board.turn?.player;
  if (!player) return "";
  if (!app.me.seat) return say("turn_of", { player });
  return app.me.seat === player ? say("turn_mine") : say("turn_other", { player });
}

/* ---------------------------------------------------------------- Triple Topper Toe */

const ROWS = ["red", "yellow", "green", "blue"], COLUMNS = ["circle", "heart", "triangle", "square"];
const SHAPES = {
  circle: "M0-7a7 7 0 1 0 .01 0z", heart: "M0 7C-9 0-8-7-4-7-1.5-7 0-4.5 0-3.5 0-4.5 1.5-7 4-7 8-7 9 0 0 7z",
  triangle: "M0-7L7.5 6h-15z", square: "M-6.3-6.3h12.6v12.6h-12.6z", blob: "M-6-3C-9-9 2-9 4-6 9-6 9 1 6 3 7 8-1 9-3 6-9 7-9 1-6-3z",
};

function cube(app) {
  const { board } = app, phase = board.view.phase;
  if (phase === "question" || phase === "tiebreak") return quiz(app);
  if (!app.me.seat) return [...heading(title(app), say("hand_hidden")), seatButton(app), layers(app, new Map())];
  const cards = app.hand?.view?.hands?.[seatOf(app)];
  if (!Array.isArray(cards)) return [...heading(title(app)), el("p", { class: "note" }, say("pending")), layers(app, new Map())];
  if (!app.can("action")) return [...heading(title(app)), hand(app, cards, () => {}, () => false, true), layers(app, new Map())];
  return phase === "play" ? playCard(app, cards) : drawCard(app, cards);
}

const seatOf = (app) => app.board.players.find((player) => player.name === app.me.seat)?.colours[0];
const seatButton = (app) => button(say("who_are_you"), () => app.show("seat"), { kind: "big" });

function drawCard(app, cards) {
  const chosen = (app.memo.cards ??= new Set());
  for (const card of chosen) if (!cards.includes(card)) chosen.delete(card);
  const toggle = (card) => { if (!chosen.delete(card)) chosen.add(card); app.redraw(); };
  const throwing = app.memo.throwing;
  const key = [...chosen].sort().join();
  const action = legal(app, "discard").find((one) => [...one.cards].sort().join() === key);
  return [...heading(title(app), throwing ? say("discard_which") : say("hand")),
    hand(app, cards, throwing ? toggle : () => {}, (card) => throwing && chosen.has(card), !throwing),
    throwing
      ? row(button(say("back"), () => { app.memo.throwing = false; chosen.clear(); app.redraw(); }, { kind: "wide" }),
        action ? button(say("discard_go", { n: chosen.size }), () => act(app, action), { kind: "wide primary", acts: true, name: "discard" }) : null)
      : column(legal(app, "draw").length ? button(say("draw"), () => act(app, { type: "draw" }), { kind: "big primary", acts: true, name: "draw" }) : null,
        legal(app, "discard").length ? button(say("discard"), () => { app.memo.throwing = true; app.redraw(); }, { kind: "wide", name: "throw" }) : null),
    layers(app, new Map())];
}

function playCard(app, cards) {
  app.memo.throwing = false;
  const plays = legal(app, "play");
  const card = cards.includes(app.memo.card) ? app.memo.card : null;
  const cells = new Map(plays.filter((play) => play.card === card && play.cell).map((play) => [play.cell, () => act(app, play)]));
  const wasted = plays.find((play) => play.card === card && !play.cell);
  return [...heading(title(app), card ? say("play_where") : say("play_which")),
    hand(app, cards, (one) => { app.memo.card = one; app.redraw(); }, (one) => one === card),
    wasted ? button(say("play_wasted"), () => act(app, wasted), { kind: "wide", acts: true }) : null, layers(app, cells)].filter(Boolean);
}

function hand(app, cards, tap, chosen, still = false) {
  return el("div", { class: "cards", role: "group", "aria-label": say("hand") }, ...cards.map((card) => {
    const [colour, shape, layer] = card.split("-");
    const picture = svg("svg", { class: "card-face", viewBox: "-12 -16 24 32", "aria-hidden": "true", style: { "--colour": colour === "black" ? "currentColor" : paint(colour) } },
      svg("path", { d: SHAPES[shape] ?? SHAPES.blob, class: "card-shape", transform: "translate(0 -4)" }), svg("text", { y: 13, "text-anchor": "middle" }, layer));
    const words = say("card", { colour: colour === "black" ? say("any_colour") : colourWord(colour), shape: shape === "blob" ? say("any_shape") : say(`shape_${shape}`), layer: layer === "?" ? say("any_layer") : say("layer", { n: layer }) });
    return still ? el("div", { class: "card", role: "img", "aria-label": words }, picture) : button(picture, () => tap(card), { kind: "card", pressed: chosen(card), name: card, "aria-label": words });
  }));
}

function layers(app, cells) {
  const { view, last } = app.board, won = new Set(view.lines.flat());
  return el("div", { class: "layers" }, ...range(4).map((layer) =>
    el("div", { class: "layer", role: "group", "aria-label": say("layer", { n: layer + 1 }) }, el("span", { class: "layer-name", "aria-hidden": "true" }, String(layer + 1)),
      ...ROWS.flatMap((colour) => COLUMNS.map((shape) => {
        const cell = `${colour}-${shape}-${layer + 1}`, taken = view.board[cell];
        const kind = `spot ${taken ? "taken" : ""} ${won.has(cell) ? "won" : ""} ${last?.cell === cell ? "latest" : ""}`;
        const picture = svg("svg", { viewBox: "-11 -11 22 22", "aria-hidden": "true", style: { "--colour": paint(colour) } }, svg("path", { class: "shape", d: SHAPES[shape] }),
          taken ? svg("path", { class: "sign", style: { "--colour": paint(taken) }, d: taken === "x" ? "M-6-6L6 6M6-6L-6 6" : "M0-6.5a6.5 6.5 0 1 0 .01 0z" }) : null);
        return cells.has(cell) ? button(picture, cells.get(cell), { kind: `${kind} open`, acts: true, name: cell, "data-cell": cell, "aria-label": say("cube_cell", { colour: colourWord(colour), shape: say(`shape_${shape}`), layer: layer + 1 }) })
          : el("div", { class: kind, "aria-hidden": "true" }, picture);
      })))));
}

function quiz(app) {
  const buttons = app.board.players.flatMap((player) => [true, false].map((correct) =>
    button(say(correct ? "buzz_right" : "buzz_wrong", { player: player.name }), () => act(app, { type: "buzz", player: player.colours[0], correct }), { kind: "big", acts: true })));
  return [...heading(say("question_open")), app.can("action") ? column(...buttons, button(say("nobuzz"), () => act(app, { type: "nobuzz" }), { kind: "wide", acts: true })) : waiting(app), layers(app, new Map())];
}

/* ---------------------------------------------------------------- Topominos */

function topominos(app) {
  const { board } = app, { phase } = board.view;
  if (phase === "between") return [...heading(say("next_round")), stacks(app, new Map()), app.can("action") ? button(say("next_round"), () => act(app, { type: "next_round" }), { kind: "big primary", acts: true, name: "next" }) : waiting(app)];
  if (!app.me.seat) return [...heading(title(app), say("rack_hidden")), seatButton(app), stacks(app, new Map())];
  const rack = app.hand?.view?.racks?.[app.me.seat];
  if (!Array.isArray(rack)) return [...heading(title(app)), el("p", { class: "note" }, say("pending")), stacks(app, new Map())];
  if (!app.can("action")) return [...heading(title(app)), pieces(app, rack, () => {}, () => false, () => true), stacks(app, new Map())];
  return app.memo.swapping ? swap(app, rack) : playPiece(app, rack);
}

function playPiece(app, rack) {
  const places = legal(app, "place"), memo = app.memo;
  if (!rack.includes(memo.piece)) [memo.piece, memo.compartment] = [null, null];
  const ofPiece = places.filter((one) => one.piece === memo.piece);
  const where = new Map(ofPiece.map((one) => [one.compartment, () => { memo.compartment = one.compartment; app.redraw(); }]));
  if (!where.has(memo.compartment)) memo.compartment = null;
  const ways = ofPiece.filter((one) => one.compartment === memo.compartment);
  const fits = new Set(places.map((one) => one.piece));
  const note = ways.length ? "turn_which" : ofPiece.length ? "place_which" : "piece_which";
  return [...heading(title(app), say(note)),
    pieces(app, rack, (piece) => { memo.piece = piece; memo.compartment = null; app.redraw(); }, (piece) => piece === memo.piece, (piece) => fits.has(piece)),
    ways.length ? el("div", { class: "ways" }, ...ways.map((one, index) => button(dots(board(app, one.compartment), one.dots), () => act(app, one), { kind: "way", acts: true, name: `way-${index}`, "aria-label": say("lies", { n: index + 1 }) }))) : null,
    stacks(app, where, memo.compartment),
    row(...others(app)), app.hand?.legal_left_out ? el("p", { class: "note" }, say("left_out", { n: app.hand.legal_left_out })) : null].filter(Boolean);
}

function others(app) {
  return [
    legal(app, "draw").length ? button(say("draw_piece"), () => act(app, { type: "draw" }), { kind: "wide primary", acts: true, name: "draw" }) : null,
    legal(app, "end").length ? button(say("end_turn"), () => act(app, { type: "end" }), { kind: "wide primary", acts: true, name: "end" }) : null,
    legal(app, "pass").length ? button(say("pass"), () => { app.memo.swapping = new Set(); app.redraw(); }, { kind: "wide", name: "pass" }) : null,
  ].filter(Boolean);
}

function swap(app, rack) {
  const chosen = app.memo.swapping, key = [...chosen].sort().join();
  const action = legal(app, "pass").find((one) => [...(one.give ?? [])].sort().join() === key);
  const toggle = (piece) => { if (!chosen.delete(piece)) chosen.add(piece); app.redraw(); };
  return [...heading(say("pass"), say("swap_note")), pieces(app, rack, toggle, (piece) => chosen.has(piece), () => true),
    row(button(say("back"), () => { app.memo.swapping = null; app.redraw(); }, { kind: "wide" }),
      action ? button(chosen.size ? say("swap_pass_n", { n: chosen.size }) : say("swap_pass"), () => act(app, action), { kind: "wide primary", acts: true, name: "swap" }) : null),
    stacks(app, new Map())];
}

function pieces(app, rack, tap, chosen, fits) {
  return el("div", { class: "rack", role: "group", "aria-label": say("rack") }, ...rack.map((piece) => {
    const pattern = app.rules?.pieces?.[piece] ?? "000000000", words = say("piece_name", { n: pattern.split("1").length - 1 });
    return button(dots("000000000", pattern), () => tap(piece), { kind: fits(piece) ? "tile" : "tile stuck", pressed: chosen(piece), name: `piece-${piece}`, "aria-label": fits(piece) ? words : `${words}, ${say("piece_stuck")}` });
  }));
}

const board = (app, compartment) => app.board.view.board[compartment]?.dots ?? "000000000";

// Nine places: full ones, the new ones of a piece, and the empty.
function dots(before, added) {
  return svg("svg", { class: "dots", viewBox: "-15 -15 30 30", "aria-hidden": "true" }, ...range(9).map((at) =>
    svg("circle", { cx: (at % 3 - 1) * 9, cy: (Math.floor(at / 3) - 1) * 9, r: 3.6, class: added[at] === "1" ? "dot new" : before[at] === "1" ? "dot full" : "dot" })));
}

function stacks(app, where, chosen) {
  const { view } = app.board, touched = new Set(view.touched);
  return el("div", { class: "compartments" }, ...range(9).map((index) => {
    const n = index + 1, pattern = board(app, n), full = pattern.split("1").length - 1;
    const kind = `compartment ${touched.has(n) ? "touched" : ""}`, picture = [dots(pattern, "000000000"), el("span", { class: "cell-name" }, String(n))];
    const words = full ? say("compartment_dots", { place: n, n: full }) : say("compartment", { n });
    return where.has(n) ? button(picture, where.get(n), { kind: `${kind} open`, pressed: n === chosen, name: `compartment-${n}`, "data-compartment": n, "aria-label": words })
      : el("div", { class: kind, role: "img", "aria-label": words }, ...picture);
  }));
}
