// The heap on the scoreboard. Served as /static/games/heap-of-pearls/board.js.

import { note, range } from "../../board_parts.js";
import { svg } from "../../dom.js";
import { learn, say } from "../../strings.js";
import { GAMES } from "../facts.js";

learn({
  en: { heard_pearls: { one: "{n} pearl", other: "{n} pearls" }, last_take: "{player} took pearls", last_dip: "{player} dipped in" },
  de: { heard_pearls: { one: "{n} Perle", other: "{n} Perlen" }, last_take: "{player} hat Perlen genommen", last_dip: "{player} hat hineingegriffen" },
  fr: { heard_pearls: { one: "{n} perle", other: "{n} perles" }, last_take: "{player} a pris des perles", last_dip: "{player} a pioché" },
});

export function draw(view) {
  const words = say("heard_pearls", { n: view.heap }), fill = GAMES["heap-of-pearls"].colour;
  return { width: 10, height: 6, words, notes: [note(words)],
    picture: range(view.heap).map((at) => svg("circle", { class: "pearl", cx: (at % 10) + 0.5, cy: Math.floor(at / 10) + 0.5, r: 0.4, fill })) };
}
