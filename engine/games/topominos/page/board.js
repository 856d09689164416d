// The compartments of Topominos on the scoreboard, from the public view in the document. Served as
// /static/games/topominos/board.js.

import { note, range, text } from "../../board_parts.js";
import { mark, seatPaint } from "../../colours.js";
import { el, svg } from "../../dom.js";
import { say, signed } from "../../strings.js";

// What is said of a placement: it goes into a compartment, not on a cell.
export const placed = "last_place_in";

const PLACE = 30, DOT = 7.4;

export function draw(view, board) {
  const touched = new Set(view.touched);
  const picture = range(9).map((index) => compartment(index, view.board[index + 1], touched.has(index + 1)));
  const racks = board.players.map((player, seat) =>
    note(svg("svg", { class: "note-mark", viewBox: "-13 -13 26 26", "aria-hidden": "true", style: { color: seatPaint(player, seat) } }, mark(player.mark)),
      say("rack_held", { player: player.name, n: view.racks[player.name] })));
  const bag = note(say("bag", { n: view.bag }));
  const turn = view.turn_points ? [note(el("b", { class: "count" }, signed(view.turn_points)), say("this_turn"))] : [];
  const stacks = Object.keys(view.board).length;
  return { plate: 0.5, width: 3 * PLACE, height: 3 * PLACE, picture, words: say("heard_compartments", { n: stacks }), notes: [...racks, bag, ...turn] };
}

function compartment(index, stack, touched) {
  const dots = stack?.dots ?? "000000000", count = dots.split("1").length - 1;
  const x = (index % 3) * PLACE, y = Math.floor(index / 3) * PLACE;
  return svg("g", { "data-compartment": index + 1, class: touched ? "compartment touched" : "compartment", transform: `translate(${x} ${y})` },
    svg("rect", { class: "plate", x: 1, y: 1, width: PLACE - 2, height: PLACE - 2, rx: 3.4 }),
    ...range(9).map((at) => svg("circle", { class: dots[at] === "1" ? "pip full" : "pip",
      cx: PLACE / 2 + (at % 3 - 1) * DOT, cy: PLACE / 2 + 2 + (Math.floor(at / 3) - 1) * DOT, r: dots[at] === "1" ? 2.8 : 2 })),
    text(4.4, 4.3, String(index + 1), "place-number"),
    count ? text(PLACE - 4.8, 4.3, String(count), "dot-count") : null);
}
