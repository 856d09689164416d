// Triple Topper Toe on a phone. What may be done comes from the table (`view`), so no rule is written
// twice. Served as /static/games/triple-topper-toe/phone.js.

import { paint } from "../../colours.js";
import { el, svg } from "../../dom.js";
import { act, legal, range, seatButton, title, waiting } from "../../play_hand.js";
import { button, choice, column, heading, row } from "../../play_parts.js";
import { colourWord } from "../../play_words.js";
import { say } from "../../strings.js";

const ROWS = ["red", "yellow", "green", "blue"], COLUMNS = ["circle", "heart", "triangle", "square"];
const SHAPES = {
  circle: "M0-7a7 7 0 1 0 .01 0z", heart: "M0 7C-9 0-8-7-4-7-1.5-7 0-4.5 0-3.5 0-4.5 1.5-7 4-7 8-7 9 0 0 7z",
  triangle: "M0-7L7.5 6h-15z", square: "M-6.3-6.3h12.6v12.6h-12.6z", blob: "M-6-3C-9-9 2-9 4-6 9-6 9 1 6 3 7 8-1 9-3 6-9 7-9 1-6-3z",
};

export function panel(app) {
  const { board } = app, phase = board.view.phase;
  if (phase === "question" || phase === "tiebreak") return quiz(app);
  if (!app.me.seat) return [...heading(title(app), say("hand_hidden")), seatButton(app), layers(app, new Map())];
  const cards = app.hand?.view?.hands?.[seatOf(app)];
  if (!Array.isArray(cards)) return [...heading(title(app)), el("p", { class: "note" }, say("pending")), layers(app, new Map())];
  if (!app.can("action")) return [...heading(title(app)), hand(app, cards, () => {}, () => false, true), layers(app, new Map())];
  return phase === "play" ? playCard(app, cards) : drawCard(app, cards);
}

const seatOf = (app) => app.board.players.find((player) => player.name === app.me.seat)?.colours[0];

function drawCard(app, cards) {
  const chosen = (app.memo.cards ??= new Set());
  for (const card of chosen) if (!cards.includes(card)) chosen.delete(card);
  const toggle = (card) => { if (!chosen.delete(card)) chosen.add(card); app.redraw(); };
  const key = [...chosen].sort().join(), throws = legal(app, "discard");
  const action = throws.find((one) => [...one.cards].sort().join() === key);
  return [...heading(title(app), throws.length ? say("discard") : say("hand")),
    hand(app, cards, toggle, (card) => chosen.has(card), !throws.length),
    column(legal(app, "draw").length ? button(say("draw"), () => act(app, { type: "draw" }), { kind: "big primary", acts: true, name: "draw" }) : null,
      throws.length ? button(action ? say("discard_go", { n: chosen.size }) : say("discard_which"), () => act(app, action), { kind: "wide", acts: true, allowed: Boolean(action), name: "discard" }) : null),
    layers(app, new Map())];
}

function playCard(app, cards) {
  const plays = legal(app, "play");
  const card = cards.includes(app.memo.card) ? app.memo.card : null;
  const cells = new Map(plays.filter((play) => play.card === card && play.cell).map((play) => [play.cell, () => act(app, play)]));
  const wasted = plays.find((play) => play.card === card && !play.cell);
  // A card that names its cell needs no second tap; to play one in vain is asked.
  const choose = (one) => {
    const [only, ...others] = plays.filter((play) => play.card === one);
    if (only?.cell && !others.length && !app.hand.legal_left_out) return act(app, only);
    app.memo.card = one;
    app.redraw();
  };
  return [...heading(title(app), card ? say("play_where") : say("play_which")),
    hand(app, cards, choose, (one) => one === card),
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

export const fields = (form, draw) => [
  choice(say("variant"), ["standard", "quiz"].map((one) => [one, say(`variant_${one}`)]), form.variant ?? "standard", (one) => { form.variant = one; draw(one); })];

export const opening = (form) => ({ variant: form.variant ?? "standard" });
