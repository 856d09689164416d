// Joining by PIN, choosing a seat, inviting the next phone.

import { mark, seatPaint } from "./colours.js";
import { el, svg } from "./dom.js";
import { ask, post } from "./play_api.js";
import { button, column, heading, row } from "./play_parts.js";
import { say } from "./play_words.js";

const DIGITS = 6;

export function joinPanel(app) {
  let typed = "", busy = false;
  const shown = el("p", { class: "pin", role: "status" });
  const words = el("p", { class: "said-here", role: "alert" });
  const show = () => {
    shown.replaceChildren(
      ...Array.from({ length: DIGITS }, (_, at) => el("span", { class: at < typed.length ? "digit full" : "digit", "aria-hidden": "true" }, typed[at] ?? "")),
      el("span", { class: "only-heard" }, say("join_digits", { n: typed.length })));
  };
  const type = (digit) => {
    if (busy || typed.length >= DIGITS) return;
    typed += digit;
    show();
    if (typed.length === DIGITS) send();
  };
  const remove = () => { typed = typed.slice(0, -1); show(); };
  const send = async () => {
    busy = true;
    words.textContent = say("pending");
    const reply = await post("join", { pin: typed });
    busy = false;
    typed = "";
    show();
    words.textContent = reply.ok ? "" : reply.code === "network" ? say("no_server") : refusal(reply);
    if (reply.ok) app.refresh();
  };
  const keys = [..."123456789"].map((digit) => button(digit, () => type(digit), { kind: "key" }));
  show();
  const panel = column(...heading(say("joining"), say("join_how")), shown, words,
    el("div", { class: "keys" }, ...keys, el("span"), button("0", () => type("0"), { kind: "key" }),
      button("⌫", remove, { kind: "key", "aria-label": say("join_delete") })),
    el("a", { class: "quiet-link", href: location.pathname.replace(/\/play\/?$/, "") }, say("watch")));
  panel.addEventListener("keydown", (event) => {
    if (/^\d$/.test(event.key)) type(event.key);
    else if (event.key === "Backspace") remove();
    else return;
    event.preventDefault();
  });
  app.typeHere = (event) => panel.isConnected && panel.dispatchEvent(new KeyboardEvent("keydown", { key: event.key }));
  // Scanned: the PIN came behind the #, which no server sees. It is taken off the address at once.
  const scanned = location.hash.match(/^#(\d{6})$/);
  if (scanned) {
    history.replaceState(null, "", location.pathname);
    typed = scanned[1];
    show();
    send();
  }
  return [panel];
}

function refusal(reply) {
  if (reply.code === "wrong-pin") return say("wrong_pin", { n: reply.left });
  if (reply.code === "wait") return reply.wait_s < 90 ? say("wait_seconds", { n: reply.wait_s }) : say("wait_minutes", { n: Math.ceil(reply.wait_s / 60) });
  return reply.msg ?? say("err_network");
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
  const hidden = board.kind === "triple-topper-toe" || board.kind === "topominos";
  return [...heading(say("who_are_you"), say(hidden ? "seat_note" : "seat_note_open")), column(...seats,
    button(say("seat_everybody"), () => app.sit(null), { kind: "big" }))];
}

export function invitePanel(app) {
  const place = el("div", { class: "invite" });
  ask("invite").then((invitation) => {
    if (!invitation?.pin) return;
    place.replaceChildren(
      el("img", { class: "qr", src: `${location.pathname.replace(/\/$/, "")}/invite.svg`, alt: say("qr_alt") }),
      el("p", { class: "pin-shown" }, `${invitation.pin.slice(0, 3)} ${invitation.pin.slice(3)}`),
      el("p", { class: "note address" }, invitation.url),
      invitation.reachable ? "" : el("p", { class: "note" }, say("not_reachable")));
  });
  return [...heading(say("invite"), say("invite_note")), place, row(button(say("back"), () => app.show(null), { kind: "wide" }))];
}
