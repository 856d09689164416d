// The phone: takes each document as the truth, shows what may be done now, and sends one command
// at a time. Nothing is sent on an old document, and nothing is believed before the table says so.
//
// What a person is doing is never taken from under the finger. Panels say how all should be, and
// `patch` changes only what differs; a dialog stays until it is closed or obeyed (play_sheets.js);
// and while a finger lies on the page nothing changes at all.

import { called, insists, lastQuestions } from "./asking.js";
import { mark, seatPaint } from "./colours.js";
import { Commentator } from "./commentator.js";
import { Companion } from "./companion.js";
import { el, svg } from "./dom.js";
import { follow } from "./feed.js";
import { FilmPlayer } from "./film.js";
import { gameName } from "./game_names.js";
import { GAMES } from "./games/facts.js";
import { PHONES } from "./games/phone.js";
import { ask, command, post } from "./play_api.js";
import { patch } from "./patch.js";
import { claimPanel, invite, invitePanel, joinPanel, scanned, seatPanel, typed } from "./play_join.js";
import { back, button, column, filmButton, heading, row, switchRow } from "./play_parts.js";
import { keep, opened, stands, withWords } from "./play_sheets.js";
import { startPanel } from "./play_start.js";
import { asides, beforeWinner, askHowItFell, doubtPanel, fallPanel, fixPanel, fixPiecePanel, fixStackPanel, placePanel, questionPanel, turnPanel } from "./play_topple.js";
import { colourWord, whyNot } from "./play_words.js";
import { choose, here, language, say, TONGUES, wins } from "./strings.js";
import { sentence } from "./ticker.js";
import { asksTurn, doubtsTurn } from "./turns.js";

const SILENT = ["no_broker", "unknown", "offline", "stale"];
const STILL_HERE_MS = 10_000; // keeps the seat, and hears who asks for it (pages/phone/sessions.py)
const CLAIMS_MS = 2_000; // while this phone waits for another one's seat
const LOOK_AGAIN_MS = 2_000;
const CATCH_UP_MS = 1_500; // how long a reply may be ahead of the document
const LONGEST_PRESS_MS = 2_000; // a finger that lies longer than that is resting
const CLICK_COMES_MS = 100; // after the finger has gone
const SHORT_NAME = 9; // letters that fit beside a score
const id = (name) => document.getElementById(name);
const table = decodeURIComponent(location.pathname.split("/")[2]);

const SHEETS = {
  place: placePanel, fall: fallPanel, doubt: doubtPanel, fix: fixPanel, "fix-stack": fixStackPanel, "fix-piece": fixPiecePanel,
  seat: seatPanel, invite: invitePanel, more: morePanel, end: endPanel,
};
const app = {
  board: null, notices: [], suspected: false, lost: true, me: null, hand: null,
  sheet: null, form: null, invitation: null, memo: {}, seated: false, pending: null,
  can(verb) {
    const { board } = this;
    if (!board) return false;
    const player = this.me?.seat ?? board.turn?.player;
    return (board.can.any ?? []).includes(verb) || (board.can[player] ?? []).includes(verb);
  },
  speaksFor: (player) => !app.me?.seat || app.me.seat === player,
  ready: () => Boolean(app.board) && !app.lost && !app.pending && !silent(),
  playing: () => Boolean(app.board?.game) && !["idle", "over"].includes(app.board.phase),
  show(name, more = {}) {
    app.sheet = name && opened(name, more, app.board);
    draw();
    id("panel").focus({ preventScroll: true });
    scrollTo({ top: 0 });
    offer();
  },
  filmed: undefined, watch: () => film.show(),
  redraw: draw, invite: () => invite(app), act, sit, give, refresh,
};

const film = new FilmPlayer(id("film"), table, { look: () => app.board, onClose: () => id("panel").focus({ preventScroll: true }) });
const commentator = new Commentator(), companion = new Companion();
// Browsers lend the microphone over HTTPS only.
const understands = isSecureContext && Boolean(globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition);
let ear = null; // while somebody speaks commands
const silent = () => SILENT.find((notice) => app.notices.includes(notice));

let awaited = 0; // the next look at what became of a claim, however many asked meanwhile
let pressed = 0, news; // while a finger lies on the page, the newest document waits

follow(`/t/${table}/stream`, (view) => {
  if (view === undefined) return;
  news = view;
  if (!pressed) hear();
}, undefined, (reply) => commentator.refuse(reply, whyNot(reply)));

function hear() {
  const view = news;
  news = undefined;
  if (view !== undefined) app.lost = view === null;
  if (view) take(view);
  draw();
}

function take(view) {
  const before = app.board;
  app.notices = view.notices;
  app.filmed = view.film;
  app.suspected = view.suspected !== undefined;
  app.board = view.board ?? before;
  if (app.board) commentator.hear(app.board);
  if (app.board && app.me?.joined) companion.hear(app.board, before, app.me.seat);
  if (!app.board) return;
  if (!before) look(); // the seat may have been known before the game was
  if (!before) return;
  if (app.board.game !== before.game) {
    app.hand = null;
    refresh();
  }
  if (app.board.rev === before.rev) return;
  film.renew(view.film);
  app.memo = {}; // what was half chosen was chosen on that board
  look();
  offer();
}

function press(longest) {
  clearTimeout(pressed);
  pressed = setTimeout(release, longest);
}

function release() {
  clearTimeout(pressed);
  pressed = 0;
  hear();
}

/* ---------------------------------------------------------------- asking the server */

async function refresh() {
  const before = app.me;
  const me = await ask("me");
  app.me = me ?? before;
  if (app.me?.seat || app.me?.for_all) app.seated = true;
  if (before?.joined && app.me && !app.me.joined) tell(say("err_not-joined"), "bad");
  if (!app.me?.joined) [app.hand, app.seated, app.sheet] = [null, false, null];
  if (before?.seat !== app.me?.seat) { app.hand = null; look(); }
  if (me) claims(before, me);
  draw();
}

// A seat that this phone asked for, or that another one has got.
function claims(before, me) {
  clearTimeout(awaited);
  if (me.claims) awaited = setTimeout(refresh, CLAIMS_MS);
  else if (before?.claims && me.joined) tell(me.seat ? say("you", { player: me.seat }) : say("seat_kept"), me.seat ? "good" : "bad");
  if (me.lost && before?.lost !== me.lost) {
    app.seated = false;
    tell(say("seat_lost", { player: me.lost }), "bad");
  }
}

async function give(yes) {
  const reply = await post("give", { give: yes });
  if (!reply.ok) tell(whyNot(reply), "bad");
  await refresh();
}

// The own hand: only while there is one, and again after each change.
async function look() {
  if (!app.me?.seat || !app.board?.game || !GAMES[app.board.kind]?.hides || app.board.phase === "over") return;
  const rev = app.board.rev;
  const seen = await command("view", app.board, {});
  if (app.board.rev !== rev && seen.rev !== app.board.rev) return;
  if (seen.ok) app.hand = seen;
  else if (!app.hand) setTimeout(look, LOOK_AGAIN_MS);
  draw();
}

// What may be corrected of the piece that a dialog is about: the table says it, and again after each
// change. Until then the dialog offers nothing.
async function offer() {
  const { sheet } = app;
  if (!sheet?.with.piece) return;
  const reply = await command("corrections", app.board, { ref: sheet.with.piece.ref });
  if (reply.ok) sheet.with.offers = reply.corrections ?? [];
  else if (app.sheet === sheet && !sheet.gone) tell(whyNot(reply), "bad");
  draw();
}

// With `stays` the dialog in which it was said stays open.
async function act(verb, data, { stays = false } = {}) {
  if (!app.ready()) return null;
  const { sheet, board } = app;
  app.pending = verb;
  tell(say("pending"), "pending");
  draw();
  let reply = await command(verb, board, data);
  if (reply.code === "stale-rev" && await stillMeant(reply.rev, { sheet, verb, data, board })) reply = await command(verb, app.board, data);
  if (reply.ok) await caughtUp(reply.rev);
  app.pending = null;
  if (reply.ok && !stays) done(sheet);
  if (reply.ok && verb === "start") app.form = null;
  tell(reply.ok ? say("done") : whyNot(reply), reply.ok ? "good" : "bad");
  if (reply.code === "not-joined") refresh();
  if (reply.ok && app.hand && app.hand.rev !== app.board.rev) look();
  draw();
  return reply;
}

// In a dialog people speak of what it is about, and not of the moment, and so they do on a card of
// the panel: while that stands, what they said is said again on the newest document.
async function stillMeant(rev, { sheet, verb, data, board }) {
  if (rev === undefined) return false;
  await caughtUp(rev);
  if (!sheet) return stands(verb, data, board, app.board);
  keep(sheet, app.board);
  return !sheet.gone;
}

// Until the document holds what the reply speaks of, so that nobody presses on the old one.
async function caughtUp(rev) {
  const until = performance.now() + CATCH_UP_MS;
  while (app.board.rev < rev && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 15));
}

// The dialog that was answered closes, not one that was opened since.
function done(sheet) {
  if (app.sheet === sheet) app.sheet = null;
}

async function sit(player) {
  const { sheet } = app;
  const reply = await post("seat", { player });
  if (!reply.ok) {
    tell(whyNot(reply), "bad");
    return reply.code === "seat-taken" ? refresh() : undefined;
  }
  app.seated = true;
  done(sheet);
  if (reply.taken_over) tell(say("seat_taken_over", { player }), "good");
  await refresh();
}

// A profile for whoever sits here, or none any more.
async function stay(wanted) {
  const reply = await post("profile", { stay: wanted });
  tell(reply.ok ? say(wanted ? "stay_on" : "stay_off") : whyNot(reply), reply.ok ? "good" : "bad");
  await refresh();
}

async function leave() {
  await post("leave", {});
  refresh();
}

// Voice commands, until they are switched off or the page is closed.
async function listen() {
  const on = ear === null;
  ear?.stop();
  ear = null;
  if (on) try {
    const { listen: begin } = await import("./listening.js");
    ear = begin({ players: () => app.board.players.map(({ name }) => name), tell, ended: () => { ear = null; draw(); } });
  } catch { tell(say("err_network"), "bad"); }
  draw();
}

let hush = 0;
function tell(text, kind) {
  clearTimeout(hush);
  const said = id("said");
  said.textContent = text;
  said.className = `said ${kind}`;
  if (kind === "good") hush = setTimeout(() => { said.textContent = ""; said.className = "said"; }, 2500);
  if (kind === "bad") hush = setTimeout(() => { said.className = "said"; said.textContent = ""; }, 9000);
}

/* ---------------------------------------------------------------- drawing */

function draw() {
  if (pressed) return; // it comes with the release
  if (app.sheet && !app.pending && app.board) keep(app.sheet, app.board);
  header();
  const name = panelName();
  if (name === "join") scanned(app);
  rebuild(name);
  asleep();
}

function panelName() {
  if (!app.me) return "wait";
  if (!app.me.phones) return "off";
  if (!app.me.joined) return app.me.known || app.board ? "join" : "wait";
  if (!app.board) return "wait";
  if (app.me.claimed) return "claim";
  if (app.sheet) return app.sheet.name;
  if (!app.playing() || app.form?.touched) return "start";
  if (!app.seated && !app.me.seat) return "seat";
  // Who begins is asked beside the game: the next roll says it too.
  if (insists(app.board) && !asksTurn(app.board) && app.can("answer")) return "question";
  return GAMES[app.board.kind]?.by_sensors ? "turn" : "hand";
}

const PANELS = {
  ...SHEETS, claim: claimPanel, question: questionPanel, turn: turnPanel, hand: (one) => PHONES[one.board.kind].panel(one), join: joinPanel,
  start: (one) => [...overPart(one), ...startPanel(one)],
  off: () => [...heading(say("joining"), say("join_off")), el("a", { class: "quiet-link", href: `/t/${table}` }, say("watch"))],
  wait: () => [el("p", { class: "note centred" }, say(app.me && !app.me.known ? "join_unknown" : "lost"))],
};

function rebuild(name) {
  const panel = id("panel"), sheet = app.sheet?.name === name ? app.sheet : null;
  // A dialog reads from a copy, and changes nothing but through the functions in it.
  const parts = PANELS[name](sheet ? { ...app, board: sheet.board } : app).filter(Boolean);
  const wanted = withWords(parts, sheet ? sheet.gone : name === "start" && app.playing() && !app.pending ? "gone_start" : null);
  const focused = panel.contains(document.activeElement);
  if (panel.dataset.panel === name) patch(panel, wanted);
  else {
    panel.dataset.panel = name;
    panel.replaceChildren(...wanted);
    scrollTo({ top: 0 });
  }
  if (focused && !panel.contains(document.activeElement)) panel.focus({ preventScroll: true });
}

function overPart(app) {
  const { board } = app;
  if (board.phase !== "over") return [];
  const asked = lastQuestions(board).length > 0;
  return [called(board) ? el("p", { class: "winner" }, wins(board.winners)) : null, asked ? beforeWinner(app) : null,
    // A form that somebody has begun to fill says what the next game is.
    app.form?.touched ? null : button(say("rematch"), () => app.act("start", { again: true }), { kind: "big primary", acts: true, allowed: app.can("start"), name: "rematch" }),
    filmButton(app), ...(asked ? [] : asides(app))];
}

// Buttons that send are asleep while nothing can be sent, and those of a dialog whose matter has
// gone, but for the way out.
function asleep() {
  const ready = app.ready(), gone = Boolean(app.sheet?.gone);
  for (const node of document.querySelectorAll("#panel button, #bar button")) {
    const sends = "acts" in node.dataset, idle = gone && id("panel").contains(node) && node.dataset.name !== "back";
    const sleeps = idle || "asleep" in node.dataset || (sends && !ready);
    if (sends || sleeps) node.setAttribute("aria-disabled", String(sleeps));
    else node.removeAttribute("aria-disabled");
  }
  document.body.classList.toggle("asleep", !ready && Boolean(app.me?.joined));
  document.body.classList.toggle("busy", Boolean(app.pending));
}

function header() {
  const { board } = app;
  id("title").textContent = board?.kind ? gameName(board.kind) : say("table", { table });
  id("round").textContent = GAMES[board?.kind]?.in_rounds ? [say("round", board), board.target ? say("target", board) : ""].filter(Boolean).join(" · ") : "";
  document.title = id("title").textContent;
  document.body.dataset.rev = board?.rev ?? "";
  who();
  banner();
  scores();
  const going = app.suspected && !app.lost;
  const news = board?.game ? (going ? say("going") : happened(board)) : "";
  id("news").hidden = !news || !app.me?.joined || panelName() === "start";
  id("news").textContent = news;
  id("news").classList.toggle("going", going);
  bar();
}

function happened(board) {
  const { last } = board;
  return last?.type === "colour" ? say("news_colour", { player: last.player, colour: colourWord(last.colour) }) : sentence(last, board);
}

function who() {
  const chip = id("who"), joined = Boolean(app.me?.joined);
  chip.hidden = !joined || !app.board?.players.length;
  chip.textContent = app.me?.seat ?? say("you_all");
  chip.setAttribute("aria-label", `${app.me?.seat ? say("you", { player: app.me.seat }) : say("you_all")}. ${say("change_seat")}`);
  chip.onclick = () => app.show("seat");
}

function banner() {
  const reason = app.lost ? say("lost") : silent() ? `${say(`err_${silent()}`)} ${say("offline_note")}` : "";
  id("banner").hidden = !reason || !app.me;
  if (id("banner").textContent !== reason) id("banner").textContent = reason;
}

function scores() {
  const { board } = app, place = id("scores");
  place.hidden = !board?.players.length || !app.me?.joined;
  if (place.hidden) return;
  place.dataset.count = board.players.length;
  const doubted = doubtsTurn(board);
  patch(place, board.players.map((player, seat) => el("div", {
    class: `score-chip ${board.turn?.player === player.name && board.phase !== "over" ? "now" : ""} ${player.out ? "out" : ""} ${player.provisional ? "provisional" : ""}`, style: { "--colour": seatPaint(player, seat) } },
  svg("svg", { class: "badge", viewBox: "-13 -13 26 26", "aria-hidden": "true" }, mark(player.mark)),
  el("span", { class: player.name.length > SHORT_NAME ? "name long" : "name", dir: "auto" }, player.name), doubted && board.turn.player === player.name ? el("span", { class: "maybe" }, "?") : null, player.score === null ? null : el("b", {}, String(player.score).replace("-", "−")))));
}

/* ---------------------------------------------------------------- the bar at the bottom */

function bar() {
  const place = id("bar"), { board } = app;
  place.hidden = !app.me?.joined || !board?.game;
  if (place.hidden) return;
  patch(place, [
    barButton("↶", "undo", () => app.act("undo", {}), { acts: true, allowed: app.can("undo"), "data-says": say("voice_undo") }),
    barButton("↷", "redo", () => app.act("redo", {}), { acts: true, allowed: app.can("redo") }),
    GAMES[board.kind]?.by_sensors ? barButton("✎", "fix", () => app.show("fix"), { allowed: app.can("correct") }) : null,
    ear ? barButton("◉", "voice_bar", listen, { pressed: true }) : null,
    barButton("⋯", "more", () => app.show(app.sheet?.name === "more" ? null : "more"))].filter(Boolean));
}

function barButton(sign, words, tap, more) {
  return button([el("span", { class: "sign", "aria-hidden": "true" }, sign), el("span", {}, say(words))], tap, { kind: "bar-button", name: words, ...more });
}

// What cannot be done just now sleeps in its place.
function morePanel(app) {
  const { board } = app, tower = GAMES[board.kind]?.by_sensors;
  return [...heading(say("more")), column(
    filmButton(app),
    tower ? button(say("toppled"), () => askHowItFell(app, board), { kind: "big", allowed: app.can("topple") }) : null,
    tower ? button(say("round_stop"), () => app.act("cleared", {}), { kind: "big", acts: true, allowed: app.can("cleared") && board.phase !== "clear" }) : null,
    button(say("change_seat"), () => app.show("seat"), { kind: "big" }),
    button(say("invite"), app.invite, { kind: "big" }),
    tower ? el("p", { class: "note" }, say("dice_pair", { colour: (board.players.find((player) => player.name === app.me?.seat) ?? board.players[0]).colours[0] })) : null,
    app.me?.seat ? switchRow(say("stay"), app.me.stays, stay, "stay") : null,
    commentator.able ? button(commentator.words, () => { commentator.switch(); draw(); }, { kind: "big", pressed: commentator.on, name: "commentator" }) : null,
    ...(understands ? [button(say(ear ? "voice_on" : "voice_off"), listen, { kind: "big", pressed: Boolean(ear), name: "voice" }), el("p", { class: "note" }, say("voice_note"))] : []),
    button(say("end"), () => app.show("end"), { kind: "big alert", allowed: app.can("end") }),
    el("a", { class: "big link", href: `${here("/rules")}#${board.kind}` }, say("rules")),
    el("a", { class: "big link", href: here(`/t/${table}/evening`) }, say("evening")),
    el("a", { class: "big link", href: `/t/${table}` }, say("watch")),
    button(say("leave"), leave, { kind: "big" })),
  row(...TONGUES.map(([tag, name]) => button(name, () => choose(tag), { pressed: tag === language, lang: tag, name: `language-${tag}` }))), back(app)];
}

function endPanel(app) {
  return [...heading(say("end"), say("end_sure")), column(button(say("yes_end"), () => app.act("end", {}), { kind: "big alert", acts: true }), button(say("back"), () => app.show(null), { kind: "big", name: "back" }))];
}

function stayHere() {
  if (app.me?.joined && history.state?.table !== table) history.pushState({ table }, "");
}

function closeNewest() {
  if (film.open) film.close();
  else document.querySelector("#panel [data-name=back]")?.click();
}

addEventListener("keydown", (event) => {
  if (id("panel").dataset.panel === "join" && !event.ctrlKey && !event.metaKey && typed(app, event.key)) event.preventDefault();
});
addEventListener("pointerdown", () => press(LONGEST_PRESS_MS));
addEventListener("pointerup", () => { if (pressed) press(CLICK_COMES_MS); });
addEventListener("pointercancel", release); // it was a scroll
// The button is obeyed between these two: on the document that was seen, and drawn at once.
addEventListener("click", () => { clearTimeout(pressed); pressed = 0; }, true);
addEventListener("click", hear);
// Back, of a phone or a browser, closes what is open and never leaves the table; the way out is a
// button. Browsers only stop at what a finger has made.
addEventListener("click", stayHere, true);
addEventListener("popstate", () => { closeNewest(); stayHere(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
setInterval(() => { if (!document.hidden) refresh(); }, STILL_HERE_MS);
refresh();
