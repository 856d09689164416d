// Topple: the question, the die, the piece, the topple, corrections. Mostly the table sees by
// itself, so the largest buttons are for what it cannot see: the die, a pass, an answer.

import { answerText, askedOf, insists, lastQuestions, questionText, roundText } from "./asking.js";
import { paint, seatPaint } from "./colours.js";
import { el } from "./dom.js";
import { rolled } from "./play_api.js";
import { allCells, back, button, cellWords, column, filmButton, heading, pips, row, token, towerBoard } from "./play_parts.js";
import { colourWord, percent } from "./play_words.js";
import { say } from "./strings.js";
import { asksTurn, doubtsTurn, mayBegin, mayPlay, turnSaid, turnWords } from "./turns.js";

const CELL = /^[a-e][1-5]$/;

// One tap: the likely cells lie on the board, the best first for those who listen or use keys.
export function questionPanel(app, asked = app.board.pending) {
  const { board } = app;
  const answer = (value) => app.act("answer", { question: asked.id, value });
  const cells = new Map(), others = [];
  asked.options.forEach((option, index) => {
    const chance = option.p === null || option.p === undefined ? "" : `${percent(option.p)} %`;
    if (CELL.test(option.value)) {
      const words = chance ? say("option_cell", { cell: option.value, percent: percent(option.p) }) : option.value;
      const best = chance && !cells.size;
      cells.set(option.value, { label: best ? `${words}, ${say("ask_best")}` : words, note: [option.value, chance], kind: best ? "asked best" : "asked", tap: () => answer(option.value) });
    } else {
      others.push(button([el("span", {}, answerText(option, board, asked)), chance ? el("small", {}, chance) : null].filter(Boolean), () => answer(option.value),
        { kind: `big ${index || !chance ? "" : "primary"}`, acts: true, name: option.value, "data-says": was(board, asked, option) }));
    }
  });
  return [el("div", { class: "question" }, ...heading(questionText(board, asked), cells.size ? say("ask_note") : null), about(board, asked)),
    cells.size || asked.cell ? towerBoard(board, cells, { meant: asked.cell }) : null,
    others.length > 1 && cells.size ? el("div", { class: "row others" }, ...others) : column(...others)].filter(Boolean);
}

// What else may be said for an answer to who it was (listening.js).
const was = ({ players }, { kind }, { value }) => kind === "blame" && players.some(({ name }) => name === value) && say("voice_was", { player: value });

// Whose piece is meant, and what hangs on it.
function about(board, asked) {
  const player = askedOf(board, asked), top = (board.board[asked.cell] ?? []).at(-1)?.colour;
  const colour = player && (player.colours.includes(top) ? top : player.colours[0]);
  if (!player && !asked.worth) return null;
  return el("p", { class: "about" }, player ? token(colour, owner(board, colour)) : null, player ? el("b", {}, player.name) : null,
    asked.worth ? el("span", { class: "worth" }, say("worth", { n: asked.worth })) : null);
}

// Who begins, or whose turn it is, with a tap for each who may be: beside the game, for whoever
// rolls settles it too.
function turnCard(app) {
  const { board } = app, asked = asksTurn(board);
  if (!doubtsTurn(board) || !(app.can("turn") || (asked && app.can("answer")))) return [];
  const chances = new Map(asked ? board.pending.options.map(({ value, p }) => [value, p]) : []);
  const names = board.players.filter((player) => mayBegin(player, board));
  return [el("div", { class: "question turn-card" }, ...heading(asked ? questionText(board) : turnWords(board)),
    turnNames(app, names, { chances, begins: asked }), about(board, { kind: "turn", worth: board.pending?.worth }))];
}

// A row of names; a tap says that it is the turn of that player. `more`: as of `app.act`.
function turnNames(app, players, { chances = new Map(), begins = false, ...more } = {}) {
  const { board } = app;
  return row(...players.map((player) => button(
    [token(player.colours[0], owner(board, player.colours[0])), el("span", {}, player.name), typeof chances.get(player.name) === "number" ? el("small", {}, `${percent(chances.get(player.name))} %`) : null].filter(Boolean),
    () => app.act(...turnSaid(board, player.name), more),
    { kind: "pick whose-turn", acts: true, name: `turn-${player.name}`, pressed: board.turn?.player === player.name, style: { "--colour": seatPaint(player, board.players.indexOf(player)) },
      "aria-label": say(begins ? "answer_begins" : "turn_is", { player: player.name }), "data-says": say("voice_turn", { player: player.name }) })));
}

// "It is … turn", in any dialog about what went wrong.
const turnRow = (app, more) => (app.can("turn") ? el("div", { class: "choice" }, el("h3", {}, say("turn_whose")), turnNames(app, app.board.players.filter(mayPlay), more)) : null);

// What stops nobody: who bumped the table, with its answers; and what the table believes, for those
// who know better. It lies below all that is needed to play on.
export function asides(app) {
  const { board } = app, { pending, doubt } = board;
  if (!app.can("answer") || insists(board)) return [];
  if (pending) return [el("div", { class: "aside" }, el("h3", {}, questionText(board)), row(...pending.options.map((option) =>
    button(answerText(option, board), () => app.act("answer", { question: pending.id, value: option.value }), { kind: "answer", acts: true, name: option.value, "data-says": was(board, pending, option) }))),
  doubtsTurn(board) ? null : turnRow(app))];
  return doubt ? [button(doubtWords(app, doubt), () => app.show("doubt"), { kind: "quiet wide", name: "doubt", "data-leads": doubt.kind === "blame" })] : [];
}

// All that is asked at the end, on one card.
export function beforeWinner(app) {
  const { board } = app;
  return el("div", { class: "question before-winner" }, ...heading(say("before_winner")), ...lastQuestions(board).flatMap((asked) => [
    el("h3", {}, roundText(board, asked)),
    row(...asked.options.map((option) => button(answerText(option, board, asked), () => app.act("answer", { question: asked.id, value: option.value }),
      { kind: "answer", acts: true, name: `${asked.id}-${option.value}`, "data-says": was(board, asked, option) })))]));
}

function doubtWords(app, { kind, player }) {
  if (kind !== "blame") return say("doubt_piece", { player });
  return app.me?.seat === player ? say("doubt_me") : say("doubt_player", { player });
}

export const doubtPanel = (app) => [...questionPanel(app, app.board.doubt), back(app)];

export const turnPanel = (app) => [...turnCard(app), ...playPanel(app), ...asides(app)];

function playPanel(app) {
  const { board } = app, player = board.turn?.player;
  if (board.phase === "clear") return clearPanel(app);
  const mine = app.me.seat === player, rolling = app.can("roll");
  const title = rolling ? (mine ? say("turn_mine_roll") : say("turn_roll", { player })) : mine ? say("turn_mine_act") : say(board.turn?.die === 6 ? "turn_act_six" : "turn_act", { player });
  const parts = [...heading(!app.speaksFor(player) ? say("turn_other", { player }) : title,
    rolling ? say("rolled") : app.can("place") ? say("place_on") : null)];
  if (rolling) parts.push(dice(app));
  if (app.can("colour")) parts.push(colours(app));
  if (board.phase === "act") parts.push(towerBoard(board, placing(app), { allowed: ofTheDie(board) }));
  const acts = [];
  if (app.can("pass")) acts.push(button(say("pass"), () => app.act("pass", {}), { kind: "wide", acts: true, "data-says": say("voice_pass") }));
  if (acts.length) parts.push(row(...acts));
  return [...parts, ...fallen(app)].filter(Boolean);
}

// A tap says where the piece lies that the table does not see. No weight tells its colour.
function placing(app) {
  const { board } = app, { turn } = board;
  if (!app.can("place")) return new Map();
  const two = !app.can("colour") && board.players.find((player) => player.name === turn.player)?.colours.length > 1;
  const place = (cell) => (two ? app.show("place", { cell }) : app.act("place", { cell }));
  const kind = ofTheDie(board).length ? "allowed" : "";
  return new Map((turn.cells ?? allCells()).map((cell) => [cell, { label: say("pair", { name: say("cell_place", { cell }), value: cellWords(cell, board) }), kind, tap: () => place(cell) }]));
}

// The cells that the die allows, if it does not allow all.
function ofTheDie(board) {
  const cells = board.turn?.cells ?? [];
  return cells.length < 25 ? cells : [];
}

function dice(app) {
  const numbers = [1, 2, 3, 4, 5, 6].map((value) =>
    button(pips(value), () => app.act("roll", { value }), { kind: "die", acts: true, name: `die-${value}`, "aria-label": say("roll_number", { n: value }), "data-says": say("voice_die", { n: value }) }));
  return column(el("div", { class: "dice" }, ...numbers),
    button(say("roll_for_me"), () => app.act("roll", { value: rolled() }), { kind: "big primary", acts: true, "data-says": say("voice_roll") }));
}

function colours(app) {
  const { board } = app, player = board.players.find((one) => one.name === board.turn.player);
  return el("div", { class: "choice" }, el("h3", {}, say("colour_which")), row(...player.colours.map((colour, index) =>
    button([token(colour, { mark: player.mark, hollow: index > 0 }), el("span", {}, colourWord(colour))], () => app.act("colour", { colour }),
      { kind: "pick colour", acts: true, pressed: board.turn.colour === colour, name: `colour-${colour}`, "aria-label": say("colour_name", { colour: colourWord(colour) }) }))));
}

function fallen(app) {
  const found = [];
  if (app.can("topple")) found.push(button(say("toppled"), () => askHowItFell(app, app.board), { kind: "wide alert" }));
  return found.length ? [row(...found)] : [];
}

function clearPanel(app) {
  const { pending, doubt } = app.board, free = (!pending && !doubt) || asksTurn(app.board);
  const toppled = free && toppleBeingCleared(app.board) !== null;
  return [...heading(say("clear"), say("clear_note")),
    app.can("cleared") ? button(say("cleared"), () => app.act("cleared", {}), { kind: "big primary", acts: true, "data-says": say("voice_cleared") }) : null,
    filmButton(app),
    toppled ? button(say("who_bumped"), () => askHowItFell(app, app.board), { kind: "wide", "data-leads": true }) : null].filter(Boolean);
}

// Opened before the table has seen it or afterwards: the answers are the same, and in the same
// places; only the command differs.
export function fallPanel(app) {
  const { board } = app, { player } = app.sheet.with, seen = toppleBeingCleared(board);
  const placing = seen === null ? () => app.act("topple", { cause: "placing", player }) : () => app.act("correct", { ref: seen, cause: "placing", player });
  const bumped = (one) => (seen === null ? app.act("topple", { cause: "bump", player: one.name }) : app.act("blame", { player: one.name }));
  return [...heading(say(player ? "toppled_how" : "who_bumped")), column(
    player ? button(say("toppled_placing", { player }), placing, { kind: "big primary", acts: true }) : null,
    ...board.players.filter((one) => !one.out).map((one) => button(say("toppled_bump", { player: one.name }), () => bumped(one), { kind: "big", acts: true, "data-says": say("voice_was", { player: one.name }), style: { "--colour": paint(one.colours[0]) } }))),
  // The dialog stays: who bumped the table is still to be said.
  turnRow(app, { stays: true }), back(app)].filter(Boolean);
}

// `player`: who was placing when it fell, as far as that is known.
export const askHowItFell = (app, board) => app.show("fall", { player: board.phase !== "clear" ? board.turn?.player : board.last?.cause === "placing" ? board.last.player : null });

// The move by which the board came down that is now to be cleared, if it toppled.
export function toppleBeingCleared({ phase, last }) {
  const toppled = phase === "clear" && (last?.type === "toppled" || (last?.type === "corrected" && last.cause));
  return toppled ? last.ref ?? null : null;
}

export function placePanel(app) {
  const { board } = app, { cell } = app.sheet.with, player = board.players.find(({ name }) => name === board.turn?.player);
  return [...heading(say("colour_which"), cell), row(...(player?.colours ?? []).map((colour) =>
    button([token(colour, owner(board, colour)), el("span", {}, colourWord(colour))], () => app.act("place", { cell, colour }), { kind: "pick colour", acts: true, name: `place-${colour}` }))), back(app)];
}

// Any piece that lies on the board can be corrected; what is gone with its round, by undo.
export function fixPanel(app) {
  const { board } = app;
  const taps = new Map(Object.entries(board.board).filter(([, stack]) => stack.some((piece) => piece.ref !== undefined))
    .map(([cell, stack]) => [cell, { label: cellWords(cell, board), kind: "fixable", tap: () => {
      const known = stack.filter((piece) => piece.ref !== undefined);
      if (known.length === 1) app.show("fix-piece", { cell, piece: known[0] });
      else app.show("fix-stack", { cell, pieces: known });
    } }]));
  const toppled = toppleBeingCleared(board) !== null;
  return [...heading(say("fix"), taps.size ? say("fix_which") : say("fix_none")), taps.size ? towerBoard(board, taps) : null,
    turnRow(app), toppled ? button(say("fix_topple"), () => askHowItFell(app, board), { kind: "wide" }) : null, back(app)].filter(Boolean);
}

export function fixStackPanel(app) {
  const { cell, pieces } = app.sheet.with, { board } = app;
  const stack = board.board[cell] ?? [], height = (piece) => stack.findIndex(({ ref }) => ref === piece.ref);
  return [...heading(say("fix_which"), cell), column(...pieces.toReversed().map((piece) =>
    button([token(piece.colour, owner(board, piece.colour)), el("span", {}, `${height(piece) + 1}. ${colourWord(piece.colour)}`)], () => app.show("fix-piece", { cell, piece }), { kind: "big", name: `piece-${piece.ref}` }))), back(app)];
}

// Only what the table would take (`app.offer`); where the die forbids a cell, with the die that must
// have been rolled then.
export function fixPiecePanel(app) {
  const { cell, piece, offers = [] } = app.sheet.with, { board } = app;
  const whose = board.players.find((player) => player.colours.includes(piece.colour));
  const fix = (data) => () => app.act("correct", data);
  const taps = new Map(offers.filter((data) => data.cell).map((data) => [data.cell, {
    label: [cellWords(data.cell, board), data.value ? say("fix_die", { n: data.value }) : ""].filter(Boolean).join("; "),
    kind: data.value ? "" : "allowed", die: data.value, tap: fix(data) }]));
  const repaint = offers.filter((data) => data.colour).map((data) =>
    button([token(data.colour, owner(board, data.colour)), el("span", {}, say("fix_colour", { colour: colourWord(data.colour) }))], fix(data), { kind: "wide", acts: true, name: `fix-${data.colour}` }));
  const nothing = offers.find((data) => data.nothing);
  return [...heading(`${cell} · ${whose?.name ?? colourWord(piece.colour)}`, say("fix_where")), towerBoard(board, taps, { meant: cell }),
    offers.some((data) => data.value) ? el("p", { class: "note" }, say("fix_die_note")) : null,
    row(button(say("fix_nothing"), nothing && fix(nothing), { kind: "wide alert", acts: true, allowed: Boolean(nothing) }), ...repaint), back(app)].filter(Boolean);
}

function owner(board, colour) {
  const player = board.players.find((one) => one.colours.includes(colour));
  return { mark: player?.mark ?? "●", hollow: (player?.colours.indexOf(colour) ?? 0) > 0 };
}
