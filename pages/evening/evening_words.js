// Games of an evening in words: standings and feats, for the page and for its picture.

import { percent, say, number } from "./strings.js";

export { gameName } from "./game_names.js";

export const medals = { highest: "▲", boldest: "◆", best: "★", streak: "●", comeback: "■", steadiest: "✚" };

// A feat's title and a sentence about it.
export function feat(name, { player, value, cell }) {
  const n = name === "boldest" ? percent(value) : value;
  const words = say(`feat_${name}_is`, { n, player, cell: cell ?? "" });
  return { title: say(`feat_${name}`), words };
}

// The players of a game, most points first, with the seat that gives them colour and mark.
export function standing(game) {
  const lines = game.players.map((player, seat) => ({ player, seat, score: player.score === null ? "" : number(player.score) }));
  return lines.sort((a, b) => (b.player.score ?? 0) - (a.player.score ?? 0));
}
