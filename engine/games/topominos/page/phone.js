// Topominos on a phone. What may be done comes from the table (`view`), so no rule is written
// twice. Served as /static/games/topominos/phone.js.

import { GAMES } from "../facts.js";
import { el, svg } from "../../dom.js";
import { act, legal, range, seatButton, title, waiting } from "../../play_hand.js";
import { button, choice, heading, row } from "../../play_parts.js";
import { say } from "../../strings.js";

export function panel(app) {
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
  const ofPlace = (compartment) => ofPiece.filter((one) => one.compartment === compartment);
  // What can lie there in one way only needs no third tap, and a piece that fits nowhere else no second.
  const choose = (ways, otherwise) => (ways.length === 1 && !app.hand.legal_left_out ? act(app, ways[0]) : otherwise());
  const where = new Map(ofPiece.map(({ compartment }) => [compartment, () => choose(ofPlace(compartment), () => { memo.compartment = compartment; app.redraw(); })]));
  if (!where.has(memo.compartment)) memo.compartment = null;
  const ways = ofPlace(memo.compartment);
  const fits = new Set(places.map((one) => one.piece));
  const note = ways.length ? "turn_which" : ofPiece.length ? "place_which" : "piece_which";
  return [...heading(title(app), say(note)),
    pieces(app, rack, (piece) => choose(places.filter((one) => one.piece === piece), () => { memo.piece = piece; memo.compartment = null; app.redraw(); }), (piece) => piece === memo.piece, (piece) => fits.has(piece)),
    ways.length ? el("div", { class: "ways" }, ...ways.map((one, index) => button(dots(board(app, one.compartment), one.dots), () => act(app, one), { kind: "way", acts: true, name: `way-${index}`, "aria-label": say("lies", { n: index + 1 }) }))) : null,
    stacks(app, where, memo.compartment),
    row(...others(app)), app.hand?.legal_left_out ? el("p", { class: "note" }, say("left_out", { n: app.hand.legal_left_out })) : null].filter(Boolean);
}

function others(app) {
  const passes = legal(app, "pass"), pass = passes.find((one) => !one.give?.length);
  return [
    legal(app, "draw").length ? button(say("draw_piece"), () => act(app, { type: "draw" }), { kind: "wide primary", acts: true, name: "draw" }) : null,
    legal(app, "end").length ? button(say("end_turn"), () => act(app, { type: "end" }), { kind: "wide primary", acts: true, name: "end" }) : null,
    pass ? button(say("pass"), () => act(app, pass), { kind: "wide", acts: true, name: "pass" }) : null,
    passes.length > 1 ? button(say("swap"), () => { app.memo.swapping = new Set(); app.redraw(); }, { kind: "wide", name: "swapping" }) : null,
  ].filter(Boolean);
}

function swap(app, rack) {
  const chosen = app.memo.swapping, key = [...chosen].sort().join();
  const action = legal(app, "pass").find((one) => [...(one.give ?? [])].sort().join() === key);
  const toggle = (piece) => { if (!chosen.delete(piece)) chosen.add(piece); app.redraw(); };
  return [...heading(say("swap"), say("swap_note")), pieces(app, rack, toggle, (piece) => chosen.has(piece), () => true),
    row(button(say("back"), () => { app.memo.swapping = null; app.redraw(); }, { kind: "wide" }),
      action && chosen.size ? button(say("swap_pass_n", { n: chosen.size }), () => act(app, action), { kind: "wide primary", acts: true, name: "swap" }) : null),
    stacks(app, new Map())];
}

function pieces(app, rack, tap, chosen, fits) {
  return el("div", { class: "rack", role: "group", "aria-label": say("rack") }, ...rack.map((piece) => {
    const pattern = GAMES.topominos.pieces[piece] ?? "000000000", words = say("piece_name", { n: pattern.split("1").length - 1 });
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

const MATCHES = [null, 2, 3, 5];

export const fields = (form, draw) => [
  choice(say("match"), MATCHES.map((n) => [String(n), n ? say("match_rounds", { n }) : say("match_none")]), String(form.match ?? null), (n) => { form.match = n === "null" ? null : Number(n); draw(n); })];

export const opening = (form) => ({ pieces: "default", match: form.match ? { rounds: form.match } : null });
