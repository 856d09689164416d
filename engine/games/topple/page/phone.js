// What a phone asks before a game of Topple. Its moves are on the tower (pages/phone/play_topple.js).
// Served as /static/games/topple/phone.js.

import { el } from "../../dom.js";
import { choice, switchRow } from "../../play_parts.js";
import { say } from "../../strings.js";

const TARGETS = [40, 70, 100, 150], USUAL = 100;

// Everybody wears colours of their own.
export const coloured = true;

// As the last game was. Its points are offered, whatever they were.
export const remembered = ({ target, players }) =>
  ({ target: target ?? USUAL, lately: target, young: !target, two: players.every(({ colours }) => colours.length === 2) });

const offered = ({ lately }) => [...new Set([...TARGETS, lately ?? USUAL])].sort((one, other) => one - other).map(String);

export function fields(form, draw, dress) {
  const two = form.people.length === 2 && !form.young ? switchRow(say("two_colours"), form.two, (on) => { form.two = on; dress(form); draw("two"); }, "two") : null;
  return [
    choice(say("target_points"), [...offered(form).map((n) => [n, n]), ["young", "∞"]], form.young ? "young" : String(form.target ?? USUAL), (chosen) => {
      form.young = chosen === "young";
      if (form.young) form.two = false;
      else form.target = Number(chosen);
      dress(form);
      draw(chosen);
    }, "targets", { young: say("target_none") }),
    form.young ? el("p", { class: "note" }, say("target_none")) : null,
    choice(say("begins"), form.people.map((person, seat) => [String(seat), person.name || `${seat + 1}`]), String(form.first), (seat) => { form.first = Number(seat); draw(`begins-${seat}`); }, "begins", {}, "begins-"),
    two,
  ].filter(Boolean);
}

export const opening = (form) => ({
  players: form.people.map(({ name, colours }) => ({ name, colours })), first: form.first, target: form.young ? null : form.target ?? USUAL,
});
