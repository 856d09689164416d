// Piece colours, safe for the colour-blind (Okabe and Ito), and the shapes that go with them.

import { svg } from "./dom.js";

const ORANGE = "#E69F00", SKY = "#56B4E9", GREEN = "#009E73", YELLOW = "#F0E442";
const VERMILION = "#D55E00", PINK = "#CC79A7", BLUE = "#0072B2";

const NAMED = {
  red: VERMILION, orange: ORANGE, yellow: YELLOW, green: GREEN, blue: SKY, pink: PINK,
  purple: PINK, violet: PINK, black: "#7a8394", white: "#F2F0E6", x: VERMILION, o: SKY,
};
const OTHERS = [ORANGE, SKY, GREEN, YELLOW, VERMILION, PINK, BLUE];

export function paint(colour) {
  return NAMED[colour] ?? OTHERS[[...String(colour)].reduce((sum, c) => sum + c.charCodeAt(0), 0) % OTHERS.length];
}

// A player's colour; in games without colours, that of the seat.
export function seatPaint(player, seat) {
  return paint(player.colours[0] ?? ["red", "blue", "yellow", "green"][seat % 4]);
}

const MARKS = {
  "●": "M0-8a8 8 0 1 0 .01 0z",
  "▲": "M0-9L8.5 6.5h-17z",
  "■": "M-7-7h14v14h-14z",
  "◆": "M0-9.5L8-0L0 9.5L-8 0z",
  "★": "M0-10l2.6 6.5 7 .5-5.4 4.5 1.8 6.9L0 4.6l-6 3.8 1.8-6.9-5.4-4.5 7-.5z",
  "✚": "M-3-9h6v6h6v6h-6v6h-6v-6h-6v-6h6z",
};

// The mark as a path centred on the origin, some 18 units across. A player's second colour
// has the same mark, hollow.
export function mark(shape, { hollow = false, ...attributes } = {}) {
  const look = hollow ? { fill: "none", stroke: "currentColor", "stroke-width": 3 } : { fill: "currentColor" };
  return svg("path", { d: MARKS[shape] ?? MARKS["●"], ...look, ...attributes });
}

// Colour -> whose it is, its mark, and whether it is the player's second.
export function owners(players) {
  const found = new Map();
  for (const [seat, player] of players.entries()) {
    player.colours.forEach((colour, index) =>
      found.set(colour, { player, seat, mark: player.mark, hollow: index > 0 }));
  }
  return found;
}
