// The score cards: name, score in digits for three metres, whose turn, pieces left.

import { called } from "./asking.js";
import { mark, paint, seatPaint } from "./colours.js";
import { calm, el, svg } from "./dom.js";
import { GAMES } from "./games/facts.js";
import { number, say } from "./strings.js";
import { needed } from "./target.js";
import { doubtsTurn, mayBegin, turnWords } from "./turns.js";

const shown = new Map();

// `settle`: what a tap on a player does while the turn is in doubt; none where a page only shows.
export function showPlayers(place, board, animate, settle = null) {
  place.dataset.count = board.players.length;
  document.body.classList.toggle("nobody", board.players.length === 0);
  const best = leader(board);
  place.replaceChildren(...board.players.map((player) => card(player, board, best, settle)));
  fit(place);
  for (const player of board.players) {
    const before = shown.get(player.name);
    if (animate && before !== undefined && before !== player.score) pop(place, board.players.indexOf(player));
    shown.set(player.name, player.score);
  }
}

// A score gives way before a name or a word does: it is made narrower until it fits, never lower,
// and a name, narrower and then smaller, when the score has no more to give. All is read before anything is written: each
// look at a size after a change would lay the page out anew.
function fit(place) {
  const cards = [...place.querySelectorAll(".card")];
  for (const card of cards) {
    card.style.removeProperty("--words");
    card.querySelector(".name").style = "";
  }
  const measured = cards.map(measure);
  measured.forEach(({ words }, at) => { if (words) cards[at].style.setProperty("--words", `${words}px`); });
  cards.forEach((card, at) => squeeze(card, measured[at]));
}

const MOST_WORDS = 0.62; // of a card's width; the score has the rest
const NARROWEST = 0.66, SMALLEST = 0.45; // of a name: then it ends in dots

// Widths of texts are told as whole pixels; one that wants a part of one more would be cut.
function measure(card) {
  const name = card.querySelector(".name"), digits = card.querySelector(".digits"), pills = [...card.querySelectorAll(".pill:not(.maybe)")];
  const columns = getComputedStyle(card).gridTemplateColumns.split(" ").map(parseFloat);
  const score = digits.parentElement.clientWidth, heading = name.parentElement;
  const beside = heading.clientWidth < columns[0] + 1; // the name is in the first column, not over both
  const before = edges(name).left - edges(heading).left, width = name.scrollWidth + 1;
  const needed = Math.max(beside ? before + width : 0, ...pills.map((pill) => pill.scrollWidth));
  const words = columns.length < 2 ? 0 : Math.min(needed, MOST_WORDS * (columns[0] + columns[1]));
  const more = words > columns[0] ? words - columns[0] : 0;
  return {
    words: more && words, width, digits: digits.offsetWidth, score: score - more,
    room: heading.clientWidth + (beside ? more : 0) - before,
  };
}

function squeeze(card, { width, room, digits, score }) {
  const style = card.querySelector(".name").style, narrow = Math.max(NARROWEST, Math.min(1, room / width));
  const size = Math.max(SMALLEST, Math.min(1, room / width / narrow));
  card.querySelector(".digits").style.transform = score < digits ? `scaleX(${score / digits})` : "";
  if (size < 1) style.fontSize = `${size}em`;
  if (narrow < 1) [style.transform, style.minWidth] = [`scaleX(${narrow})`, `${Math.min(width * size, room / narrow)}px`];
}

const edges = (node) => node.getBoundingClientRect();

addEventListener("resize", () => document.querySelectorAll(".players").forEach(fit));

function leader(board) {
  const scores = board.players.map((player) => player.score ?? -Infinity);
  const best = Math.max(...scores);
  return scores.filter((score) => score === best).length === 1 ? board.players[scores.indexOf(best)].name : null;
}

function card(player, board, best, settle) {
  const doubted = doubtsTurn(board);
  const now = board.turn?.player === player.name && (doubted || !["over", "clear"].includes(board.phase));
  const won = called(board) && board.winners.includes(player.name);
  const colour = now && board.turn.colour ? paint(board.turn.colour) : seatPaint(player, board.players.indexOf(player));
  // An en dash: the true minus sign is as wide as a digit and a half in many fonts.
  const words = player.score === null ? say("score_unknown") : number(player.score).replace("−", "–");
  const classes = ["card", now && "now", won && "won", player.out && "out", player.provisional && "provisional", doubted && "doubted"];
  return el("article", { class: classes.filter(Boolean).join(" "), style: { "--colour": colour } },
    el("h2", {}, badge(player), el("span", { class: "name", dir: "auto" }, player.name)),
    el("p", { class: "score" }, el("span", { class: "digits", "aria-label": say("heard_score", { player: player.name, score: player.score ?? "" }), role: "img" }, words)),
    el("p", { class: "about" }, pill(player, board, { now, won, best, doubted }), needs(player, board), left(player), split(player), counted(board)),
    settle && mayBegin(player, board) ? settler(player, settle) : null);
}

// Over the whole card: from the sofa a card is easier to hit than a word.
function settler(player, settle) {
  const node = el("button", { type: "button", class: "settle", "data-player": player.name, "aria-label": say("turn_is", { player: player.name }) });
  node.addEventListener("click", () => settle(player.name));
  return node;
}

function badge(player) {
  return svg("svg", { class: "badge", viewBox: "-13 -13 26 26", "aria-hidden": "true" }, mark(player.mark));
}

function pill(player, board, { now, won, best, doubted }) {
  if (won) return el("span", { class: "pill won" }, say("winner"));
  if (player.out) return el("span", { class: "pill" }, say("out"));
  if (now && doubted) return el("span", { class: "pill now maybe" }, turnWords(board));
  if (now) return el("span", { class: "pill now" }, say(board.phase === "roll" ? "to_roll" : "to_act"));
  if (player.provisional) return el("span", { class: "pill unsure" }, say("not_final"));
  if (best === player.name && board.phase !== "idle") return el("span", { class: "pill quiet" }, say("leads"));
  return null;
}

// What the score is, where it is no points; those the heading names.
function counted({ kind }) {
  const { counts } = GAMES[kind] ?? {};
  return counts && counts !== "points" ? el("span", { class: "counted" }, say(`counts_${counts}`)) : null;
}

// What a player still needs, once it may come at any moment.
function needs(player, board) {
  const n = needed(player, board);
  if (n === null) return null;
  return el("span", { class: "pill quiet needs", role: "img", "aria-label": say("heard_needs", { n }) }, say("needs", { n }));
}

// One small piece for each that is still off the board.
function left(player) {
  const counts = Object.entries(player.left ?? {});
  const total = counts.reduce((sum, [, n]) => sum + n, 0);
  if (!counts.length) return null;
  const dots = counts.flatMap(([colour, n]) => Array.from({ length: n }, (_, i) =>
    svg("ellipse", { cx: 6 + i * 12, cy: 6, rx: 5, ry: 5, fill: paint(colour) })));
  const rows = counts.map(([, n], row) => svg("g", { transform: `translate(0 ${row * 13})` },
    ...dots.splice(0, n)));
  return svg("svg", { class: "left", viewBox: `0 0 ${12 * Math.max(1, ...counts.map(([, n]) => n))} ${13 * counts.length - 1}`, role: "img", "aria-label": say("pieces_left", { n: total }) }, ...rows);
}

function split(player) {
  const scores = Object.entries(player.colour_scores ?? {});
  if (scores.length < 2) return null;
  return el("span", { class: "split" }, ...scores.map(([colour, score]) =>
    el("span", { style: { "--colour": paint(colour) } }, number(score))));
}

function pop(place, index) {
  if (calm()) return;
  place.children[index].querySelector(".digits").animate(
    [{ scale: 1 }, { scale: 1.16, offset: 0.35 }, { scale: 1 }], { duration: 380, easing: "ease-out" });
}
