// The line at the bottom: the last thing that happened, what it was worth and how sure the
// table is, or the question it asks.

import { answerText, askedOf, called, insists, lastQuestions, questionText, roundText } from "./asking.js";
import { mark, owners, paint } from "./colours.js";
import { el, svg } from "./dom.js";
import { BOARDS } from "./games/board.js";
import { knows, percent, say, signed, wins } from "./strings.js";

const LONG = 40; // letters of a question that gets a line for itself, of an event in smaller ones

// `answer`: what a tap on an answer to a question does; none where a page only shows.
export function showTicker(place, board, answer = null) {
  const asks = insists(board), several = lastQuestions(board).length > 0;
  place.replaceChildren(...(several ? beforeWinner(board, answer) : asks ? question(board, answer) : happened(board)));
  place.classList.toggle("asks", asks || several);
  place.classList.toggle("several", several);
  place.classList.toggle("long", asks && questionText(board).length > LONG);
  place.classList.toggle("many", several || (asks && board.pending.options.length > 3));
}

// All that is asked at the end, on one card.
function beforeWinner(board, answer) {
  return [el("strong", { class: "before" }, say("before_winner")), ...lastQuestions(board).map((asked) =>
    el("div", { class: "one" }, el("span", { class: "what" }, roundText(board, asked)), ...answers(board, asked, answer)))];
}

export function sentence(last, board) {
  if (!last) return board.phase === "idle" ? say("phase_idle") : "";
  if (called(board) && board.view) return wins(board.winners);
  if (last.type === "corrected") return correction(last, board);
  const values = { player: last.player ?? "", cell: last.cell ?? "", type: last.type, die: board.turn?.die ?? "" };
  const keys = {
    placed: last.cell ? "last_placed" : "last_placed_nowhere",
    retracted: last.cell ? "last_retracted" : "last_retracted_nowhere",
    // A roll told ahead is that of the next player.
    rolled: board.turn?.die && board.turn.player === last.player ? "last_rolled" : "last_rolled_something",
    place: !last.cell ? "last_place_nowhere" : BOARDS[board.kind]?.placed ?? "last_place",
    toppled: last.player ? (last.cause === "bump" ? "last_toppled_bump" : "last_toppled") : "last_toppled_nobody",
  };
  const key = keys[last.type] ?? `last_${last.type}`;
  return knows(key) ? say(key, values) : say(last.player ? "last_other" : "last_other_nobody", values);
}

// What a move means after somebody's word, or after a second look of the sensors.
function correction(last, board) {
  if (last.of === "nothing") return sentence({ ...last, type: "retracted", cell: last.was }, board);
  if (last.cell) return say(last.cell === last.was ? "last_settled" : "last_corrected", last);
  return last.of ? sentence({ ...last, type: last.of }, board) : say("last_corrected_nowhere");
}

function happened(board) {
  const last = board.last;
  const said = sentence(last, board), words = el("span", { class: said.length > LONG ? "what long" : "what" }, said);
  const beside = aside(board);
  if (!last) return [words, ...beside];
  const colour = last.colour ?? board.players.find((player) => player.name === last.player)?.colours[0];
  const owner = owners(board.players).get(colour);
  return [
    owner ? svg("svg", { class: "dot", viewBox: "-13 -13 26 26", "aria-hidden": "true", style: { "--colour": paint(colour) } }, mark(owner.mark, { hollow: owner.hollow })) : null,
    words, ...worth(last), ...strange(last, board), ...changes(last, board), ...(beside.length ? beside : certainty(last)),
  ].filter(Boolean);
}

function worth(last) {
  if (last.type === "end" && last.points) return [el("strong", { class: "points" }, signed(last.points))];
  if (last.type !== "placed" && last.of !== "placed") return [];
  if (!last.points) return [el("span", { class: "way" }, say("no_points"))];
  return [
    el("strong", { class: "points" }, signed(last.points)),
    el("span", { class: "ways" }, ...(last.ways ?? []).map((way) => el("span", { class: "way" },
      el("b", {}, signed(way.points)), " ", say(`way_${way.way}`, { where: row(way) })))),
  ];
}

// A piece that weighs like another player's: somebody took a wrong one, or it was another's turn.
function strange(last, board) {
  const owner = board.players.find((player) => player.colours.includes(last.weighs));
  return owner && owner.name !== last.player ? [el("span", { class: "way wrong" }, say("weighs_like", { player: owner.name }))] : [];
}

// Where the points were made: a stack's cell, a file, a rank, a diagonal.
export function row(way) {
  if (way.way === "stack") return way.where;
  const where = String(way.where);
  if (where.length > 1) return say("row_diagonal");
  return say(/\d/.test(where) ? "row_rank" : "row_file", { where });
}

// Points that went to or from others: a topple, a correction.
function changes(last, board) {
  if (last.type === "placed") return [];
  return Object.entries(last.changes ?? {}).filter(([, points]) => points).map(([who, points]) =>
    // A name that is written from the right must not turn the sign round.
    el("span", { class: "way" }, el("bdi", {}, nameOf(who, board)), " ", el("b", {}, signed(points))));
}

function nameOf(who, board) {
  return board.players.find((player) => player.name === who || player.colours.includes(who))?.name ?? who;
}

function certainty(last) {
  const found = [];
  if (last.status && last.status !== "confirmed") found.push(el("span", { class: `tag ${last.status}` }, say(`status_${last.status}`)));
  if (last.confidence !== undefined && last.confidence !== null)
    found.push(el("span", { class: "sure" }, say("sure", { percent: percent(last.confidence) })));
  return found;
}

// What does not stop the game: who bumped the table, and a culprit who may know better. It stands
// where else the table says how sure it is.
function aside({ pending, doubt }) {
  if (pending) return [el("span", { class: "tag asked" }, say(pending.of === "cleared" ? "ask_fell" : "ask_who"))];
  return doubt?.kind === "blame" && doubt.player ? [el("span", { class: "way doubt" }, say("doubt_who", doubt))] : [];
}

function question(board, answer) {
  return [el("span", { class: "ask", "aria-hidden": "true" }, "?"), el("span", { class: "what" }, questionText(board)), ...meant(board), ...answers(board, board.pending, answer)];
}

function answers(board, asked, answer) {
  return asked.options.map((option, index) => {
    const node = el(answer ? "button" : "span", { class: index || isNaN(option.p ?? NaN) ? "option" : "option best", type: answer ? "button" : false, "data-value": option.value },
      answerText(option, board, asked), option.p === null || option.p === undefined ? "" : el("small", {}, ` ${percent(option.p)}`));
    if (answer) node.addEventListener("click", () => answer(asked, option.value));
    return node;
  });
}

// Whose piece is meant, and what hangs on it.
function meant(board) {
  const player = askedOf(board), { worth } = board.pending;
  return [
    player ? el("span", { class: "whose", style: { "--colour": paint(pieceColour(board, player)) } },
      svg("svg", { viewBox: "-13 -13 26 26", "aria-hidden": "true" }, mark(player.mark)), player.name) : null,
    worth ? el("span", { class: "worth" }, say("worth", { n: worth })) : null,
  ].filter(Boolean);
}

// With two colours, that of the piece on the cell.
function pieceColour({ board, pending }, player) {
  const top = (board[pending.cell] ?? []).at(-1)?.colour;
  return player.colours.includes(top) ? top : player.colours[0];
}
