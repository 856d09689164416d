// One table: takes each document as the truth and draws it whole. Only when the new document
// follows the one shown does anything move; after a gap or a late join it just stands there.

import { called, insists, lastQuestions, questionText, roundText } from "./asking.js";
import { Attract } from "./attract.js";
import { showBoard } from "./boards.js";
import { Bubble } from "./bubble.js";
import { Commentator, commentatorButton } from "./commentator.js";
import { paint } from "./colours.js";
import { showDie } from "./die.js";
import { calm, el } from "./dom.js";
import { fellAtOnce, justFell } from "./falls.js";
import { follow } from "./feed.js";
import { FilmPlayer } from "./film.js";
import { gameName } from "./game_names.js";
import { GAMES } from "./games/facts.js";
import { showHistory } from "./history.js";
import { showMoment, showUnheard } from "./moment.js";
import { menuOnKiosk } from "./menu.js";
import { notices } from "./notices.js";
import { whyNot } from "./play_words.js";
import { showPlayers } from "./players.js";
import { showLegend } from "./risk.js";
import { sound, soundButton, soundNow } from "./sound.js";
import { here, say, sayAll, signed, spoken, wins } from "./strings.js";
import { TensionMeter } from "./tension.js";
import { themeButton } from "./theme.js";
import { sentence, showTicker } from "./ticker.js";
import { Touch } from "./touch.js";
import { Tower } from "./tower.js";
import { doubtsTurn, turnSaid } from "./turns.js";

const REFUSED_MS = 6000;
const id = (name) => document.getElementById(name);
const table = decodeURIComponent(location.pathname.split("/")[2]);
const tower = new Tower(id("tower"));
const bubble = new Bubble(id("bubble"));
const attract = new Attract(id("attract"));
const tension = new TensionMeter(id("tension"));
const film = new FilmPlayer(id("film"), table, {
  look: () => shown,
  // Its button may lie in the menu, which is shut.
  onClose: () => id(id("to-film").offsetParent ? "to-film" : "menu").focus({ preventScroll: true }),
});
const commentator = new Commentator(), touch = new Touch();
let shown = null; // the board drawn last
let last = null; // the document received last
let going = false; // pieces may be falling just now
let fallen = false; // pieces fell, and the board was cleared in one
let heard = false; // whether a document has come
let asking = false; // whether somebody may have something to tap
let filmed; // number of the topple that there is a film of

sayAll();
document.body.classList.toggle("framed", window.top !== window);
tower.svg.setAttribute("aria-label", say("heard_tower", { n: 0 }));
commentatorButton(commentator, id("commentator"));
soundButton(id("sound"));
themeButton(id("theme"));
menuOnKiosk(id("menu"), id("tools"));
id("to-film").title = say("film_key");
id("to-film").addEventListener("click", watch);
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "f" && !event.ctrlKey && !event.metaKey && !event.altKey) watch();
});
id("to-tables").href = here("/");
id("to-try").href = here(`/t/${table}/try`);
id("to-evening").href = here(`/t/${table}/evening`);
id("to-health").href = here(`/t/${table}/health`);

follow(`/t/${table}/stream`, (view) => {
  if (view === undefined) return; // a beat: the line stands
  if (view === null) {
    suspect(false);
    return about(last ?? { notices: [], broker: "" }, true);
  }
  last = view;
  about(view, false);
  suspect(view.suspected !== undefined && Boolean(view.board));
  if (view.board) show(view.board);
  else if (!shown) unheard(view);
  offerFilm(view);
  id("to-try").hidden = !view.visit;
  attract.show(view);
}, ({ point }) => {
  bubble.show(point);
  commentator.tilt(point.tilt_deg);
  if (going) tower.lean(point.tilt_deg);
}, (reply) => commentator.refuse(reply, whyNot(reply)));

function unheard(view) {
  id("title").textContent = say("table", { table });
  if (!view.notices.includes("unknown")) return;
  document.body.classList.add("nobody");
  showUnheard(id("moment"));
}

function about(view, lost) {
  const codes = lost ? ["page", ...view.notices.filter((code) => code === "simulated")] : view.notices;
  const old = notices(id("notices"), codes, view.broker, view.troubles);
  document.body.classList.toggle("old", old);
  document.body.dataset.notices = codes.join(" ");
}

function watch() {
  if (film.open) film.close();
  else if (filmed !== undefined) film.show();
}

// A fall of just now is shown by itself, after the crash and for as long as nobody plays on.
function offerFilm({ film: newest, board }) {
  const over = ["clear", "over"].includes(board?.phase);
  if (newest !== filmed && newest !== undefined && heard && over && !calm()) film.show({ by_itself: true });
  else if (!over) film.putAway();
  [filmed, heard] = [newest, true];
  id("to-film").hidden = filmed === undefined;
}

// The lights go down at once; what became of it, a topple or nothing, brings them up again.
function suspect(may) {
  if (may && !going) {
    soundNow("going");
    id("live").textContent = say("going");
  }
  if (going && !may) {
    tower.lean(null);
    id("live").textContent = "";
  }
  going = may;
  document.body.classList.toggle("going", going);
  if (shown) showMoment(id("moment"), shown, { going, fallen });
}

function show(board) {
  const follows = shown !== null && shown.boot === board.boot && shown.game === board.game;
  const animate = follows && board.seq > shown.seq;
  const toppled = animate && justFell(board, shown);
  fallen = follows && (animate ? fellAtOnce(board, shown) : fallen);
  heading(board);
  people(board, animate);
  showHistory(id("history"), board);
  tension.show(board);
  showDie(id("die"), board.phase === "act" ? board.turn?.die : null);
  if (toppled) topple(board);
  else drawTower(board, animate);
  if (!shown || board.seq !== shown.seq || board.rev !== shown.rev || called(board) !== called(shown)) speak(board);
  sound(board, shown);
  commentator.hear(board);
  if (board.rev !== shown?.rev) film.renew(last.film);
  shown = board;
  document.body.dataset.rev = board.rev;
  document.body.dataset.phase = board.phase;
}

// What a tap asks of the table. If it is not done, the page says why, for as long as one reads it.
async function tapped(board, verb, data) {
  const reply = await touch.send(board, verb, data);
  if (reply.ok) return;
  const words = el("span", { class: "notice refused", role: "alert" }, whyNot(reply));
  id("notices").append(words);
  setTimeout(() => words.remove(), REFUSED_MS);
}

// Cards and ticker; where this screen may act, they take an answer.
function people(board, animate) {
  const answer = (asked, value) => tapped(board, "answer", { question: asked.id, value });
  showPlayers(id("players"), board, animate, touch.able ? (player) => tapped(board, ...turnSaid(board, player)) : null);
  showTicker(id("ticker"), board, touch.able && (board.can.any ?? []).includes("answer") ? answer : null);
  const unsure = insists(board) || lastQuestions(board).length > 0 || doubtsTurn(board);
  if (unsure && !asking) touch.look(() => people(shown, false));
  asking = unsure;
}

async function topple(board) {
  showLegend(id("legend"), null);
  showMoment(id("moment"), board, { going, fallen });
  await tower.topple();
  if (shown === board) drawTower(board, false);
}

function drawTower(board, animate) {
  const turn = board.turn;
  const player = board.players.find((one) => one.name === turn?.player);
  const pieces = Object.values(board.board).reduce((sum, stack) => sum + stack.length, 0);
  const flat = board.kind !== null && !GAMES[board.kind]?.by_sensors;
  id("tower").hidden = flat;
  bubble.mayShow(!flat); // no board of these games hangs on a pivot
  showBoard(id("board"), board);
  tower.show(board, {
    animate,
    allowed: new Set(board.phase === "act" && turn?.cells?.length < 25 ? turn.cells : []),
    colour: player ? paint(turn.colour ?? player.colours[0]) : null,
    words: say("heard_tower", { n: pieces }),
    meant: insists(board) ? board.pending.cell : null,
  });
  tower.label(labels(board));
  const hints = insists(board) ? null : board.hints;
  tower.risks(hints);
  showLegend(id("legend"), hints);
  const lie = ["clear", "over"].includes(board.phase) && board.last?.type === "toppled";
  tower.debris(lie ? board.players.flatMap((one) => one.colours) : [], board);
  showMoment(id("moment"), board, { going, fallen });
}

function labels(board) {
  if (board.pending?.kind === "cell" && insists(board))
    return board.pending.options.filter((option) => /^[a-e][1-5]$/.test(option.value)).map((option) =>
      ({ cell: option.value, text: option.value, kind: "asked" })).map((label, index) =>
      ({ ...label, kind: index ? "asked" : "asked best", above: label.cell === board.pending.cell })).reverse();
  const happened = board.last;
  if (!["clear", "over"].includes(board.phase) && happened?.type === "placed" && happened.cell && happened.points && board.board[happened.cell])
    return [{ cell: happened.cell, text: signed(happened.points), kind: "points" }];
  return [];
}

function heading(board) {
  id("title").textContent = board.kind ? gameName(board.kind) : say("table", { table });
  const game = GAMES[board.kind];
  const counted = board.target ? say("points_to", board) : game?.counts === "points" && board.players.some((player) => player.score !== null) ? say("counts_points") : "";
  id("round").textContent = board.kind ? [game?.in_rounds ? say("round", board) : "", counted].filter(Boolean).join(" · ") : "";
  document.title = `${board.players.map((player) => `${player.name} ${player.score ?? ""}`).join(" · ") || say("title")}`;
}

// One sentence a change for those who listen.
function speak(board) {
  const parts = [sentence(board.last, board)];
  const points = board.last?.points;
  if (parts[0] && !/[.!?]$/.test(parts[0])) parts[0] += ".";
  if (points) parts.push(points < 0 ? say("heard_points", { n: spoken(points) }) : say("heard_points", { n: points }));
  const last = lastQuestions(board);
  if (last.length) parts.push(say("before_winner"), ...last.map((asked) => say("heard_question", { text: roundText(board, asked) })));
  else if (board.pending) parts.push(say("heard_question", { text: questionText(board) }));
  else if (board.phase === "roll" && board.turn) parts.push(say("heard_turn_roll", board.turn));
  else if (board.phase === "act" && board.turn) parts.push(say("heard_turn_act", board.turn));
  else if (board.turn && !GAMES[board.kind]?.by_sensors) parts.push(say("heard_turn", board.turn));
  if (called(board) && !board.view) parts.push(wins(board.winners));
  id("live").textContent = parts.filter(Boolean).join(" ");
}
