// Playing at the simulated table: take a seat, roll, and a simulated hand puts the piece where you
// point. What the sensors make of it is on the scoreboard beside.

import { called } from "./asking.js";
import { el } from "./dom.js";
import { follow } from "./feed.js";
import { patch } from "./patch.js";
import { post } from "./play_api.js";
import { allCells, button, cellWords, choice, column, heading, pips, row, towerBoard } from "./play_parts.js";
import { colourWord } from "./play_words.js";
import { here, knows, number, say, wins } from "./strings.js";

const EVERY_MS = 400, READ_MS = 9000, SEAT = "topple-seat";
const id = (name) => document.getElementById(name);
const table = decodeURIComponent(location.pathname.split("/")[2]);
const base = `/t/${table}/try`;
let board = null, desk = null, token = sessionStorage.getItem(SEAT) ?? "", colour = null;

document.title = say("try");
id("scoreboard").title = say("to_scoreboard");
id("scoreboard").src = here(`/t/${table}`);
follow(`/t/${table}/stream`, (view) => { if (view?.board) { board = view.board; draw(); } });
look();

async function look() {
  const answer = await fetch(`${base}/state`, { headers: { "x-seat": token }, cache: "no-store" }).catch(() => null);
  desk = answer?.ok ? await answer.json() : null;
  draw();
  setTimeout(look, EVERY_MS);
}

async function send(name, body) {
  const found = await post(name, body);
  tell(found.ok ? "" : words(found.code));
  return found;
}

const words = (code) => (knows(`try_${code}`) ? say(`try_${code}`) : say("notice_page"));

let hush = 0;
function tell(text) {
  clearTimeout(hush);
  if (text) hush = setTimeout(() => tell(""), READ_MS);
  id("said").textContent = text;
  id("said").className = text ? "said bad" : "said";
}

async function sit(player) {
  const found = await send("sit", { player });
  if (!found.ok) return;
  token = found.token;
  sessionStorage.setItem(SEAT, token);
}

async function act(verb, more = {}) {
  if (desk) desk.awaited = null; // until the table waits again
  draw();
  await send("do", { token, verb, ...more });
}

/* ---------------------------------------------------------------- drawing */

function draw() {
  if (!board) return;
  const parts = !desk ? [title(), el("p", { class: "note" }, say("notice_page"))] : desk.you ? playing() : seats();
  patch(id("panel"), [...parts, otherwise()].filter(Boolean));
  for (const node of id("panel").querySelectorAll("button")) node.setAttribute("aria-disabled", String("asleep" in node.dataset));
  document.body.dataset.ready = "";
}

const title = () => el("h1", { id: "try-title" }, desk?.you ? say("try_seated", { player: desk.you }) : say("try"));

// Where people and table disagree, after a round: the sensors err, and nobody at this table can hide it.
function otherwise() {
  if (!desk?.counted) return null;
  const counted = Object.entries(desk.counted).map(([name, points]) => `${name} ${number(points)}`).join(", ");
  return el("p", { class: "note otherwise", role: "status" }, say("try_counted", { counted }));
}

// A guest's phone comes to this page by it, from the sofa: as wide as the panel (try.css).
function code() {
  if (!desk.qr) return null;
  return el("figure", { class: "guest-code" }, el("img", { src: `${base}/qr.svg`, alt: say("evening_qr") }), el("figcaption", { class: "note" }, say("evening_qr")));
}

function seats() {
  return [title(), el("p", { class: "note" }, say("try_about")), column(...desk.players.map((player) =>
    button(say("try_sit", { player }), () => sit(player), { kind: "big primary", allowed: !desk.taken.includes(player), name: player }))), code()];
}

function playing() {
  if (["over", "idle"].includes(board.phase)) return between();
  const awaited = desk.awaited?.player === desk.you ? desk.awaited : null;
  return [title(), ...heading(moment(awaited)),
    board.turn?.die && awaited?.phase === "act" ? el("p", { class: "die-shown" }, pips(board.turn.die), say("try_cells", { n: awaited.cells.length })) : null,
    awaited?.phase === "roll" ? button(say("try_roll"), () => act("roll"), { kind: "big primary", name: "roll" }) : null,
    awaited?.colours.length > 1 ? colours(awaited.colours) : null,
    tower(awaited),
    row(button(say("pass"), () => act("pass"), { kind: "wide", allowed: Boolean(awaited?.may_pass), name: "pass" }),
      button(say("try_bump"), () => act("bump"), { kind: "wide", name: "bump" })),
    row(button(say("try_new"), () => act("new"), { kind: "wide", name: "new" }), leaver()),
  ].filter(Boolean);
}

// Nothing begins by itself while somebody sits here: who has won stays until they have seen it.
function between() {
  const over = board.phase === "over", won = over && called(board) && board.winners.length > 0;
  return [title(), ...(won ? [el("p", { class: "winner" }, wins(board.winners))] : heading(say(over ? "try_over" : "game_none"))),
    button(say(over ? "rematch" : "try_new"), () => act("new"), { kind: "big primary", name: "new" }),
    row(over ? button(say("undo"), () => act("undo"), { kind: "wide", name: "undo" }) : null, leaver())];
}

const leaver = () => button(say("try_leave"), leave, { kind: "wide", name: "leave" });

function moment(awaited) {
  if (board.phase === "clear") return say("try_clearing");
  if (awaited) return say(awaited.phase === "roll" ? "try_your_roll" : "try_your_piece", { player: desk.you });
  const player = board.turn?.player;
  return player && player !== desk.you ? say("turn_other", { player }) : say("try_hand");
}

function tower(awaited) {
  const chosen = awaited?.colours.includes(colour) ? colour : awaited?.colours[0];
  const cells = awaited?.phase === "act" ? awaited.cells : [];
  const taps = new Map(allCells().filter((cell) => cells.includes(cell)).map((cell) =>
    [cell, { label: say("pair", { name: say("cell_place", { cell }), value: cellWords(cell, board) }), kind: "allowed", tap: () => act("place", { cell, colour: chosen }) }]));
  return towerBoard(board, taps);
}

const colours = (all) => choice(say("colour_which"), all.map((one) => [one, colourWord(one)]), all.includes(colour) ? colour : all[0], (one) => { colour = one; draw(); });

async function leave() {
  await send("leave", { token });
  token = "";
  sessionStorage.removeItem(SEAT);
}
