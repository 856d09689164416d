// The scores so far as lines: who came from where. A decoration with words for nobody: the
// scores themselves are said elsewhere.

import { mark, seatPaint } from "./colours.js";
import { svg } from "./dom.js";

const MARGIN = 10;

export function showHistory(place, board) {
  const rows = board.history ?? [];
  place.hidden = rows.length < 2 || !board.players.length;
  if (place.hidden || place.dataset.rev === String(board.rev)) return;
  place.dataset.rev = String(board.rev);
  place.replaceChildren(scoreGraph(board.players, rows));
}

// `players` have colours and a mark; `rows` are their scores after each turn, from the first on.
export function scoreGraph(players, rows, { width = 200, height = 96 } = {}) {
  const { x, y } = scales(rows, width, height, MARGIN);
  const lines = players.map((player, seat) => {
    const points = [0, ...rows.map((row) => row[seat] ?? 0)].map((score, turn) => `${x(turn).toFixed(1)},${y(score).toFixed(1)}`);
    const [lastX, lastY] = points.at(-1).split(",");
    return svg("g", { style: { "--colour": seatPaint(player, seat) } },
      svg("polyline", { points: points.join(" ") }), svg("g", { class: "end", transform: `translate(${lastX} ${lastY}) scale(.9)` }, mark(player.mark)));
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    svg("line", { x1: MARGIN, x2: width - MARGIN, y1: y(0), y2: y(0) }), ...lines);
}

// Where a turn and a score lie in a graph of that size; turn 0 is the beginning.
export function scales(rows, width, height, margin) {
  const all = [0, ...rows.flat()], low = Math.min(...all), high = Math.max(...all, low + 10);
  return {
    x: (turn) => margin + (turn / rows.length) * (width - 2 * margin),
    y: (score) => height - margin - ((score - low) / (high - low)) * (height - 2 * margin),
  };
}
