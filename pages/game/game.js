// A finished game, move by move: keys, buttons, a slider, a swipe, the curve and the list all lead
// to a move, and each move has an address (#17). The same script runs on the page and in the file
// that people keep; there it finds what else it would ask for in the element `kept`.

import { answerText, questionText } from "./asking.js";
import { showBoard } from "./boards.js";
import { mark, owners, paint, seatPaint } from "./colours.js";
import { el, svg } from "./dom.js";
import { FilmPlayer } from "./film.js";
import { gameName } from "./game_names.js";
import { boardsOf, remarksOf } from "./game_moments.js";
import { GAMES } from "./games/facts.js";
import { scales, scoreGraph } from "./history.js";
import { inFile, keptGame, ofEvening } from "./kept.js";
import { here, knows, language, number, percent, say, sayAll, signed, wins } from "./strings.js";
import { themeButton } from "./theme.js";
import { row, sentence } from "./ticker.js";
import { Tower } from "./tower.js";

const SIGNS = { game_first: "M-6-7v14M7-7L-3 0L7 7z", game_back: "M5-7L-5 0L5 7z", game_next: "M-5-7L5 0L-5 7z", game_last: "M6-7v14M-7-7L3 0L-7 7z" };
const LONG_NAME = 12; // letters of a name that a line of the list has room for
const GRAPH = { width: 640, height: 220 }, MARGIN = 8;
const SWIPE_PX = 40;
const id = (name) => document.getElementById(name);
const asked = new URLSearchParams(location.search).get("id") ?? "";
const kept = keptGame(asked);
const table = kept?.table ?? decodeURIComponent(location.pathname.split("/")[2]);
const tower = new Tower(id("tower"));
let boards = [], remarks = [], films = [], moves = null, at = -1, rolled = null;
const film = new FilmPlayer(id("film"), table, {
  look: () => boards[at],
  day: () => new Date(moves.result.ended),
  onClose: () => id("remarks").querySelector("button")?.focus({ preventScroll: true }),
  load: () => filmOf(rolled),
});

sayAll();
themeButton(id("theme"));
id("to-evening").href = kept ? inFile() : here(`/t/${table}/evening`);
id("to-evening").hidden = Boolean(kept) && !ofEvening;
id("keep").href = path("game.html");
id("keep").hidden = Boolean(kept);

function path(what, more = {}) {
  return `/t/${table}/${what}?${new URLSearchParams({ ...(asked ? { id: asked } : {}), ...more })}`;
}

async function begin() {
  const found = kept ?? (await load());
  if (!found) return;
  ({ moves, films } = found);
  boards = boardsOf(moves);
  remarks = remarksOf(moves);
  heading();
  id("game").hidden = false;
  controls();
  list();
  addEventListener("resize", () => keepInSight(id("moves"), id("moves").querySelector("[aria-current]")));
  addEventListener("hashchange", () => go(fromAddress()));
  go(fromAddress() ?? boards.length - 1);
}

async function load() {
  const answer = await fetch(path("game.json")).catch(() => null);
  if (answer?.ok) return answer.json();
  const told = await answer?.json().catch(() => null);
  const key = `game_${told?.code}`;
  id("title").textContent = say("game_none_here");
  id("none").hidden = false;
  id("none").textContent = say(knows(key) ? key : "game_silent");
  id("keep").hidden = true;
  return null;
}

async function filmOf(seq) {
  if (kept) return kept.told[seq] ?? null;
  const answer = await fetch(path("game/film.json", { seq })).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

function heading() {
  const { result } = moves, when = new Date(result.ended);
  const title = result.broken_off ? say("evening_broken_off") : wins(result.winners ?? []);
  id("title").textContent = title;
  const day = when.toLocaleString(language, { dateStyle: "long", timeStyle: "short" });
  id("about").textContent = `${gameName(result.kind)} · ${say("table", { table })} · ${day}${moves.simulated ? ` · ${say("notice_simulated")}` : ""}`;
  document.title = say("pair", { name: gameName(result.kind), value: title });
}

const fromAddress = () => (/^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : null);

function controls() {
  const button = (name, to) => {
    const sign = svg("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, svg("path", { d: SIGNS[name] }));
    const node = el("button", { type: "button", name, "aria-label": say(name), title: say(name) }, sign);
    node.addEventListener("click", () => go(to()));
    return node;
  };
  const slider = el("input", { type: "range", id: "slider", min: 0, max: boards.length - 1, value: 0, "aria-label": say("game_move") });
  slider.addEventListener("input", () => go(Number(slider.value)));
  const last = boards.length - 1;
  id("steps").replaceChildren(button("game_first", () => 0), button("game_back", () => at - 1), slider,
    button("game_next", () => at + 1), button("game_last", () => last));
  const keys = { ArrowLeft: () => at - 1, ArrowRight: () => at + 1, Home: () => 0, End: () => last };
  addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey || event.target === slider || film.open) return;
    event.preventDefault();
    go(keys[event.key]());
  });
  let from_px = null;
  id("look").addEventListener("pointerdown", (event) => { from_px = event.clientX; });
  addEventListener("pointerup", (event) => {
    const way = from_px === null ? 0 : event.clientX - from_px;
    from_px = null;
    if (Math.abs(way) > SWIPE_PX) go(at + (way < 0 ? 1 : -1));
  });
}

// Shows the game after that move.
function go(to) {
  const next = Math.max(0, Math.min(boards.length - 1, to ?? at));
  if (next === at) return;
  const before = at, board = boards[next];
  at = next;
  document.body.dataset.move = at;
  if (fromAddress() !== at) history.replaceState(null, "", `#${at}`);
  id("now-title").textContent = heading_of(board);
  drawBoard(board, at === before + 1);
  standing(board);
  graph();
  remark(board);
  id("slider").value = at;
  id("slider").setAttribute("aria-valuetext", heading_of(board));
  for (const [name, there] of [["game_first", 0], ["game_back", 0], ["game_next", boards.length - 1], ["game_last", boards.length - 1]])
    id("steps").querySelector(`[name=${name}]`).setAttribute("aria-disabled", String(at === there));
  for (const node of id("moves").querySelectorAll("[aria-current]")) node.removeAttribute("aria-current");
  const line = id("moves").querySelector(`[href="#${at}"]`);
  line.setAttribute("aria-current", "step");
  keepInSight(id("moves"), line);
}

// Within the list only: the page itself stays where it is.
function keepInSight(place, node) {
  const top = node.offsetTop, low = top + node.offsetHeight - place.clientHeight;
  if (place.scrollTop > top) place.scrollTop = top;
  if (place.scrollTop < low) place.scrollTop = low;
}

const words = (board, last = board.last) => sentence(last, { ...board, phase: "act", view: null });
const shortly = (board) => words(board, { ...board.last, player: short(board.last.player) });
const short = (name) => (name?.length > LONG_NAME ? `${name.slice(0, LONG_NAME - 1)}…` : name);
const heading_of = (board) => `${number(at)}. ${words(board)}`;

function drawBoard(board, forward) {
  const flat = !GAMES[board.kind]?.by_sensors;
  id("tower").hidden = flat;
  showBoard(id("board"), board);
  if (flat) return;
  const pieces = Object.values(board.board).reduce((sum, stack) => sum + stack.length, 0);
  tower.show(board, { animate: forward, allowed: new Set(), colour: null, words: say("heard_tower", { n: pieces }) });
  const { last } = board;
  tower.label(last.type === "placed" && last.points && board.board[last.cell] ? [{ cell: last.cell, text: signed(last.points), kind: "points" }] : []);
  tower.debris(last.type === "toppled" ? board.players.flatMap((one) => one.colours) : [], board);
}

function standing(board) {
  id("standing").replaceChildren(...board.players.map((player, seat) =>
    el("li", { class: board.last.player === player.name ? "acted" : false, style: { "--colour": seatPaint(player, seat) } },
      svg("svg", { class: "badge", viewBox: "-13 -13 26 26", "aria-hidden": "true" }, mark(player.mark)), el("span", {}, player.name),
      el("b", {}, player.score === null ? "" : number(player.score)))));
}

// The scores of the whole game, with a line where the board stands; a press on it leads there.
function graph() {
  const rows = boards.slice(1).map(({ players }) => players.map(({ score }) => score));
  id("history").hidden = rows.length < 2 || rows.flat().some((score) => score === null);
  if (id("history").hidden) return;
  const drawn = id("history").firstChild ?? scoreGraph(boards[0].players, rows, GRAPH);
  const { x } = scales(rows, GRAPH.width, GRAPH.height, MARGIN);
  drawn.querySelector(".here")?.remove();
  drawn.append(svg("line", { class: "here", x1: x(at), x2: x(at), y1: 0, y2: GRAPH.height }));
  if (drawn.isConnected) return;
  id("history").replaceChildren(drawn);
  drawn.addEventListener("click", ({ clientX }) => {
    const box = drawn.getBoundingClientRect();
    const along = ((clientX - box.left) / box.width) * GRAPH.width;
    go(Math.round(((along - MARGIN) / (GRAPH.width - 2 * MARGIN)) * rows.length));
  });
}

// What there is to say of the move: points, how bold it was, what was asked, the film of a fall.
function remark(board) {
  const { bold, best, leads, asked, film: seq } = remarks[at], { last } = board;
  const said = [
    board.turn?.die && last.type === "placed" ? say("last_rolled", { player: last.player, die: board.turn.die }) : "",
    last.points ? `${signed(last.points)} ${(last.ways ?? []).map((way) => say(`way_${way.way}`, { where: row(way) })).join(", ")}` : "",
    bold ? `★ ${say("game_bold", { n: percent(bold) })}` : "",
    best ? `★ ${say("feat_best")}` : "",
    leads ? say("c_leads", { player: leads }) : "",
  ].filter(Boolean).map((text) => el("li", {}, text));
  id("remarks").replaceChildren(...said, ...asked.map((one) => question(one, board)), ...(films.includes(seq) ? [watch(seq)] : []));
}

function question(one, board) {
  const put = { options: [], ...one, player: one.player ?? board.last.player };
  const answer = one.answer ? answerText({ value: one.answer, label: "" }, board, { ...put, options: [{ value: one.answer }] }) : say("game_unanswered");
  const text = put.kind === "colour" ? one.text : questionText(board, put);
  return el("li", { class: "asked" }, el("span", { class: "ask", "aria-hidden": "true" }, "?"), ` ${text} `, el("b", {}, answer));
}

function watch(seq) {
  const button = el("button", { type: "button", name: "film" }, say("film_watch"));
  button.addEventListener("click", () => { rolled = seq; film.show(); });
  return el("li", {}, button);
}

// Whose move it was: colour and mark of the piece, or of the seat.
function dot({ last, players }) {
  const owner = owners(players).get(last.colour), seat = players.findIndex(({ name }) => name === last.player);
  if (!owner && seat < 0) return el("i", { class: "badge" });
  const colour = owner ? paint(last.colour) : seatPaint(players[seat], seat);
  return svg("svg", { class: "badge", viewBox: "-13 -13 26 26", "aria-hidden": "true", style: { "--colour": colour } },
    owner ? mark(owner.mark, { hollow: owner.hollow }) : mark(players[seat].mark));
}

function list() {
  let round = 0;
  const lines = boards.flatMap((board, number_) => {
    const { bold, best, fell, asked } = remarks[number_];
    const signs = [bold || best ? "★" : "", fell ? "▼" : "", asked.length ? "?" : ""].filter(Boolean).join(" ");
    const line = el("li", {}, el("a", { href: `#${number_}` }, el("span", { class: "n" }, number(number_)), dot(board), el("span", { class: "what" }, shortly(board)),
      el("span", { class: "signs" }, signs), el("b", {}, board.last.points ? signed(board.last.points) : "")));
    const fresh = board.round !== round && GAMES[board.kind]?.in_rounds;
    round = board.round;
    return fresh ? [el("li", { class: "round" }, say("round", { round })), line] : [line];
  });
  id("moves").replaceChildren(...lines);
}

// At the end, when everything above is there.
begin().then(() => { document.body.dataset.ready = ""; });
