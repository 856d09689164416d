// The phone: takes each document as the truth, shows what may be done now, and sends one command
// at a time. Nothing is sent on an old document, and nothing is believed before the table says so.

import { mark, seatPaint } from "./colours.js";
import { el, svg } from "./dom.js";
import { follow } from "./feed.js";
import { ask, command, post } from "./play_api.js";
import { handPanel, needsHand } from "./play_hand.js";
import { invitePanel, joinPanel, seatPanel } from "./play_join.js";
import { button, column, heading, row } from "./play_parts.js";
import { startPanel } from "./play_start.js";
import { fallPanel, fixPanel, fixPiecePanel, fixStackPanel, placePanel, questionPanel, turnPanel } from "./play_topple.js";
import { colourWord, knows, say, wins } from "./play_words.js";
import { sentence } from "./ticker.js";

const SILENT = ["no_broker", "unknown", "offline", "stale"];
const STILL_HERE_MS = 30_000; // keeps the seat (controller/web/sessions.py)
const LOOK_AGAIN_MS = 2_000;
const CATCH_UP_MS = 1_500; // how long a reply may be ahead of the document
const id = (name) => document.getElementById(name);
const table = decodeURIComponent(location.pathname.split("/")[2]);

const SHEETS = {
  place: placePanel, fall: fallPanel, fix: fixPanel, "fix-stack": fixStackPanel, "fix-piece": fixPiecePanel,
  seat: seatPanel, invite: invitePanel, more: morePanel, end: endPanel,
};
// Sheets about the board as it was when they were opened; the others outlive a change.
const OF_THE_MOMENT = ["place", "fall", "fix", "fix-stack", "fix-piece", "end"];

const app = {
  board: null, notices: [], lost: true, me: null, rules: null, hand: null,
  sheet: null, memo: {}, seated: false, pending: null, typeHere: null,
  can(verb) {
    const { board } = app;
    if (!board) return false;
    const player = app.me?.seat ?? board.turn?.player;
    return (board.can.any ?? []).includes(verb) || (board.can[player] ?? []).includes(verb);
  },
  speaksFor: (player) => !app.me?.seat || app.me.seat === player,
  ready: () => Boolean(app.board) && !app.lost && !app.pending && !silent(),
  show(name, more = {}) { app.sheet = name && { name, with: more }; app.redraw(); id("panel").focus({ preventScroll: true }); scrollTo({ top: 0 }); },
  redraw: () => draw(true),
  act, sit, refresh,
};

const silent = () => SILENT.find((notice) => app.notices.includes(notice));

follow(`/t/${table}/stream`, (view) => {
  if (view === undefined) return;
  app.lost = view === null;
  if (view) take(view);
  draw();
});

function take(view) {
  const before = app.board;
  app.notices = view.notices;
  app.board = view.board ?? before;
  if (!app.board || !before) return;
  if (app.board.game !== before.game) {
    [app.memo, app.hand, app.sheet] = [{}, null, null];
    refresh();
  }
  if (app.board.rev !== before.rev && OF_THE_MOMENT.includes(app.sheet?.name)) app.sheet = null;
  if (app.board.rev !== before.rev) look();
}

/* ---------------------------------------------------------------- asking the server */

async function refresh() {
  const before = app.me;
  const me = await ask("me");
  if (me?.joined && !app.rules) app.rules = await ask("rules");
  app.me = me ?? before;
  if (app.me?.seat) app.seated = true;
  if (before?.joined && app.me && !app.me.joined) tell(say("err_not-joined"), "bad");
  if (!app.me?.joined) [app.hand, app.seated, app.sheet] = [null, false, null];
  if (before?.seat !== app.me?.seat) { app.hand = null; look(); }
  draw();
}

// The own hand: only while there is one, and again after each change.
async function look() {
  if (!app.me?.seat || !app.board?.game || !needsHand(app.board) || app.board.phase === "over") return;
  const rev = app.board.rev;
  const seen = await command("view", app.board, {});
  if (app.board.rev !== rev && seen.rev !== app.board.rev) return;
  if (seen.ok) app.hand = seen;
  else if (!app.hand) setTimeout(look, LOOK_AGAIN_MS);
  draw(true);
}

async function act(verb, data) {
  if (!app.ready()) return;
  const before = app.board.rev;
  app.pending = verb;
  tell(say("pending"), "pending");
  draw();
  const reply = await command(verb, app.board, data);
  if (reply.ok) await caughtUp(reply.rev, before);
  app.pending = null;
  if (reply.ok) app.sheet = null;
  tell(reply.ok ? say("done") : words(reply), reply.ok ? "good" : "bad");
  if (reply.code === "not-joined") refresh();
  if (reply.ok && app.hand && app.hand.rev !== app.board.rev) look();
  draw(true);
}

// Until the document holds what the reply speaks of, so that nobody presses on the old one.
async function caughtUp(rev) {
  const until = performance.now() + CATCH_UP_MS;
  while (app.board.rev < rev && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 15));
}

function words(reply) {
  const key = `err_${reply.code}`;
  if (reply.code === "illegal" || !knows(key)) return reply.msg ? `${reply.msg[0].toUpperCase()}${reply.msg.slice(1)}.`.replace(/([.!?])\.$/, "$1") : say("err_network");
  return say(key);
}

async function sit(player) {
  const reply = await post("seat", { player });
  if (!reply.ok) return tell(words(reply), "bad");
  app.seated = true;
  app.sheet = null;
  await refresh();
}

async function leave() {
  await post("leave", {});
  refresh();
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

let drawn = "";

function draw(again = false) {
  header();
  const name = panelName();
  const settled = ["join", "off", "start", "invite"].includes(name); // forms: news do not disturb them
  const key = JSON.stringify([name, settled ? app.board?.phase : [app.board?.rev, app.board?.boot, app.board?.game, app.me, app.sheet, Boolean(app.hand)]]);
  if (key !== drawn || (again && !settled)) {
    drawn = key;
    rebuild(name);
  }
  asleep();
}

function panelName() {
  if (!app.me) return "wait";
  if (!app.me.phones) return "off";
  if (!app.me.joined) return app.me.known || app.board ? "join" : "wait";
  if (!app.board) return "wait";
  if (app.sheet) return app.sheet.name;
  const playing = app.board.game && !["idle", "over"].includes(app.board.phase);
  if (!playing) return "start";
  if (!app.seated && !app.me.seat) return "seat";
  if (app.board.pending && app.can("answer")) return "question";
  return app.board.kind === "topple" ? "turn" : "hand";
}

const PANELS = {
  ...SHEETS, question: questionPanel, turn: turnPanel, hand: handPanel, join: joinPanel,
  start: (one) => [...overPart(one), ...startPanel(one)],
  off: () => [...heading(say("joining"), say("join_off")), el("a", { class: "quiet-link", href: `/t/${table}` }, say("watch"))],
  wait: () => [el("p", { class: "note centred" }, say(app.me && !app.me.known ? "join_unknown" : "lost"))],
};

function rebuild(name) {
  const panel = id("panel"), focused = panel.contains(document.activeElement) ? document.activeElement.dataset.name : null;
  if (panel.dataset.panel !== name) scrollTo({ top: 0 });
  panel.dataset.panel = name;
  panel.replaceChildren(...PANELS[name](app).filter(Boolean));
  if (focused) (panel.querySelector(`[data-name="${CSS.escape(focused)}"]`) ?? panel).focus({ preventScroll: true });
}

function overPart({ board }) {
  if (board.phase !== "over") return [];
  return [el("p", { class: "winner" }, wins(board.winners))];
}

// Buttons that send are asleep while nothing can be sent.
function asleep() {
  const ready = app.ready();
  for (const node of document.querySelectorAll("[data-acts]")) {
    const may = ready && (!node.dataset.verb || app.can(node.dataset.verb));
    node.setAttribute("aria-disabled", String(!may));
  }
  document.body.classList.toggle("asleep", !ready && Boolean(app.me?.joined));
  document.body.classList.toggle("busy", Boolean(app.pending));
}

function header() {
  const { board } = app;
  id("title").textContent = board?.kind ? say(`game_${board.kind}`) : say("table", { table });
  id("round").textContent = board?.kind === "topple" || board?.kind === "topominos" ? [say("round", board), board.target ? say("target", board) : ""].filter(Boolean).join(" · ") : "";
  document.title = id("title").textContent;
  document.body.dataset.rev = board?.rev ?? "";
  who();
  banner();
  scores();
  const news = board?.game ? happened(board) : "";
  id("news").hidden = !news || !app.me?.joined || panelName() === "start";
  id("news").textContent = news;
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
  place.replaceChildren(...board.players.map((player, seat) => el("div", {
    class: `score-chip ${board.turn?.player === player.name && board.phase !== "over" ? "now" : ""} ${player.out ? "out" : ""} ${player.provisional ? "provisional" : ""}`, style: { "--colour": seatPaint(player, seat) } },
  svg("svg", { class: "badge", viewBox: "-13 -13 26 26", "aria-hidden": "true" }, mark(player.mark)),
  el("span", { class: "name" }, player.name), player.score === null ? null : el("b", {}, String(player.score).replace("-", "−")))));
}

/* ---------------------------------------------------------------- the bar at the bottom */

function bar() {
  const place = id("bar"), { board } = app;
  place.hidden = !app.me?.joined || !board?.game;
  if (place.hidden || place.dataset.rev === `${board.rev} ${app.lost}`) return;
  place.dataset.rev = `${board.rev} ${app.lost}`;
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.name : null;
  place.replaceChildren(...[
    barButton("↶", "undo", () => app.act("undo", {}), "undo"),
    barButton("↷", "redo", () => app.act("redo", {}), "redo"),
    app.can("correct") ? barButton("✎", "fix", () => app.show("fix")) : null,
    barButton("⋯", "more", () => app.show(app.sheet?.name === "more" ? null : "more"))].filter(Boolean));
  if (focused) place.querySelector(`[data-name="${focused}"]`)?.focus();
}

function barButton(sign, words, tap, verb) {
  const node = button([el("span", { class: "sign", "aria-hidden": "true" }, sign), el("span", {}, say(words))], tap, { kind: "bar-button", acts: Boolean(verb), name: words });
  if (verb) node.dataset.verb = verb;
  return node;
}

function morePanel() {
  const { board } = app;
  return [...heading(say("more")), column(
    app.can("topple") ? button(say("toppled"), () => app.show("fall"), { kind: "big" }) : null,
    app.can("cleared") && board.phase !== "clear" ? button(say("round_stop"), () => app.act("cleared", {}), { kind: "big", acts: true }) : null,
    button(say("change_seat"), () => app.show("seat"), { kind: "big" }),
    button(say("invite"), () => app.show("invite"), { kind: "big" }),
    app.can("end") ? button(say("end"), () => app.show("end"), { kind: "big alert" }) : null,
    el("a", { class: "big link", href: `/t/${table}` }, say("watch")),
    button(say("leave"), leave, { kind: "big" })), row(button(say("back"), () => app.show(null), { kind: "wide" }))];
}

function endPanel() {
  return [...heading(say("end"), say("end_sure")), column(button(say("yes_end"), () => app.act("end", {}), { kind: "big alert", acts: true }), button(say("back"), () => app.show(null), { kind: "big" }))];
}

addEventListener("keydown", (event) => {
  if (app.me && !app.me.joined && !event.ctrlKey && !event.metaKey && !id("panel").contains(document.activeElement)) app.typeHere?.(event);
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
setInterval(() => { if (!document.hidden) refresh(); }, STILL_HERE_MS);
refresh();
