// The games without sensors: every move is entered here. What may be done comes from the table
// (`view`), so no rule is written a second time; a game's panel (page/phone.js in its folder) only
// lets people choose among it, and is made of these parts.

import { el } from "./dom.js";
import { GAMES } from "./games/facts.js";
import { button } from "./play_parts.js";
import { say } from "./strings.js";

export const act = (app, action) => app.act("action", { action });
export const range = (n) => Array.from({ length: n }, (_, index) => index);
export const seatButton = (app) => button(say("who_are_you"), () => app.show("seat"), { kind: "big" });

// What the own player may do, of the hand that only this phone is told; empty until it is.
export function legal(app, type) {
  const { kind } = app.board;
  if (!GAMES[kind].hides) throw new Error(`legal() reads a hidden hand, and ${kind} hides nothing: what may be done stands in app.board.view`);
  return (app.hand?.legal ?? []).filter((action) => action.type === type);
}

export function waiting(app) {
  const player = app.board.turn?.player;
  return el("p", { class: "note" }, say("wait_turn", { player }));
}

export function title(app) {
  const player = app.board.turn?.player;
  if (!player) return "";
  if (!app.me.seat) return say("turn_of", { player });
  return app.me.seat === player ? say("turn_mine") : say("turn_other", { player });
}
