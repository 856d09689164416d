// Joining by PIN, choosing a seat, inviting the next phone.

import { mark, seatPaint } from "./colours.js";
import { el, svg } from "./dom.js";
import { GAMES } from "./games/facts.js";
import { ask, post } from "./play_api.js";
import { back, button, column, heading } from "./play_parts.js";
import { say } from "./strings.js";

const DIGITS = 6;

// What is typed, and what came of it, is kept here: the panel may be drawn at any time.
const entry = { typed: "", busy: false, words: "" };

export function joinPanel(app) {
  const key = (digit) => button(digit, () => type(app, digit), { kind: "key" });
  return [column(...heading(say("joining"), say("join_how")),
    el("p", { class: "pin", role: "status" },
      ...Array.from({ length: DIGITS }, (_, at) => el("span", { class: at < entry.typed.length ? "digit full" : "digit", "aria-hidden": "true" }, entry.typed[at] ?? "")),
      el("span", { class: "only-heard" }, say("join_digits", { n: entry.typed.length }))),
    el("p", { class: "said-here", role: "alert" }, entry.words),
    el("div", { class: "keys" }, ...[..."123456789"].map(key), el("span"), key("0"),
      button("⌫", () => remove(app), { kind: "key", "aria-label": say("join_delete") })),
    el("a", { class: "quiet-link", href: location.pathname.replace(/\/play\/?$/, "") }, say("watch")))];
}

// A key of a keyboard; says whether it was one for the PIN.
export function typed(app, key) {
  if (/^\d$/.test(key)) type(app, key);
  else if (key === "Backspace") remove(app);
  else return false;
  return true;
}

// Scanned: the PIN came behind the #, which no server sees. It is taken off the address at once.
export function scanned(app) {
  const pin = location.hash.match(/^#(\d{6})$/)?.[1];
  if (!pin) return;
  history.replaceState(null, "", location.pathname);
  entry.typed = pin;
  send(app);
}

function type(app, digit) {
  if (entry.busy || entry.typed.length >= DIGITS) return;
  entry.typed += digit;
  if (entry.typed.length === DIGITS) send(app);
  else app.redraw();
}

function remove(app) {
  if (!entry.busy) entry.typed = entry.typed.slice(0, -1);
  app.redraw();
}

async function send(app) {
  [entry.busy, entry.words] = [true, say("pending")];
  app.redraw();
  const reply = await post("join", { pin: entry.typed });
  [entry.busy, entry.typed] = [false, ""];
  entry.words = reply.ok ? "" : reply.code === "network" ? say("no_server") : refusal(reply);
  app.redraw();
  if (reply.ok) app.refresh();
}

function refusal(reply) {
  if (reply.code === "wrong-pin") return say("wrong_pin", { n: reply.left });
  if (reply.code === "wait") return reply.wait_s < 90 ? say("wait_seconds", { n: reply.wait_s }) : say("wait_minutes", { n: Math.ceil(reply.wait_s / 60) });
  return reply.code === "full-house" ? say("err_full-house") : reply.msg ?? say("err_network");
}

export function seatPanel(app) {
  const board = app.board;
  const seats = board.players.map((player, seat) => {
    const other = app.me.taken.includes(player.name) && app.me.seat !== player.name;
    return button([
      svg("svg", { class: "badge", viewBox: "-13 -13 26 26", "aria-hidden": "true", style: { color: seatPaint(player, seat) } }, mark(player.mark)),
      el("span", {}, player.name), other ? el("small", {}, say("seat_taken")) : null].filter(Boolean),
    () => app.sit(player.name), { kind: "big seat", name: player.name, style: { "--colour": seatPaint(player, seat) } });
  });
  const note = app.me.lost ? say("seat_lost", { player: app.me.lost }) : say(GAMES[board.kind]?.hides ? "seat_note" : "seat_note_open");
  return [...heading(say("who_are_you"), note), column(...seats,
    button(say("seat_everybody"), () => app.sit(null), { kind: "big" })),
  app.sheet?.name === "seat" ? back(app) : null].filter(Boolean);
}

// Another phone asks for the seat of this one.
export function claimPanel(app) {
  return [...heading(say("seat_claimed", { player: app.me.seat }), say("seat_claimed_note")), column(
    button(say("seat_keep"), () => app.give(false), { kind: "big" }),
    button(say("seat_give"), () => app.give(true), { kind: "big" }))];
}

export async function invite(app) {
  app.invitation = null;
  app.show("invite");
  app.invitation = await ask("invite");
  app.redraw();
}

export function invitePanel(app) {
  const { invitation } = app;
  return [...heading(say("invite"), say("invite_note")), el("div", { class: "invite" }, ...(invitation?.pin ? [
    el("img", { class: "qr", src: `${location.pathname.replace(/\/$/, "")}/invite.svg`, alt: say("qr_alt") }),
    el("p", { class: "pin-shown" }, `${invitation.pin.slice(0, 3)} ${invitation.pin.slice(3)}`),
    el("p", { class: "note address" }, invitation.url),
    invitation.reachable ? null : el("p", { class: "note" }, say("not_reachable"))] : [])), back(app)];
}
