// The scores so far as lines: who came from where. A decoration with words for nobody: the
// scores themselves are said elsewhere.

import { mark, paint } from "./colours.js";
import { svg } from "./dom.js";

const WIDTH = 200, HEIGHT = 96, MARGIN = 8;

export function showHistory(place, board) {
  const rows = board.history ?? [];
  place.hidden = rows.length < 2 || !board.players.length;
  if (place.hidden || place.dataset.rev === String(board.rev)) return;
  place.dataset.rev = String(board.rev);
  const all = [0, ...rows.flat()], low = Math.min(...all), high = Math.max(...all, low + 10);
  const x = (turn) => MARGIN + (turn / rows.length) * (WIDTH - 2 * MARGIN);
  const y = (score) => HEIGHT - MARGIN - ((score - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
  const lines = board.players.map((player, seat) => {
    const scores = [0, ...rows.map((row) => row[seat] ?? 0)];
    const points = scores.map((score, turn) => `${x(turn).toFixed(1)},${y(score).toFixed(1)}`);
    const [lastX, lastY] = points.at(-1).split(",");
    return svg("g", { style: { "--colour": paint(player.colours[0] ?? player.name) } },
      svg("polyline", { points: points.join(" ") }), svg("g", { class: "end", transform: `translate(${lastX} ${lastY}) scale(.72)` }, mark(player.mark)));
  });
  place.replaceChildren(svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" },
    svg("line", { x1: MARGIN, x2: WIDTH - MARGIN, y1: y(0), y2: y(0) }), ...lines));
}
