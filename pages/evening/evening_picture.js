// The evening's picture to share: one game on a canvas, with its curve of scores and what is told.

import { seatPaint } from "./colours.js";
import { FEATS } from "./evening_facts.js";
import { feat, gameName, medals, standing } from "./evening_words.js";
import { scales } from "./history.js";
import { say, wins } from "./strings.js";

const WIDTH = 1080, HEIGHT = 1350; // as phones show pictures; lower where there is less to show
const EDGE = 72, GRAPH = { top: 470, height: 380 }, FEAT = 92, FOOT = 48;
const NIGHT = "#14101f", PANEL = "#221a35", TEXT = "#fdf8ee", QUIET = "#bdb2d6", WARM = "#ffd28a";

export function drawPicture(canvas, game) {
  const ink = canvas.getContext("2d"), rows = game.highlights?.scores ?? [], curve = rows.length > 1;
  const told = FEATS.filter((name) => game.highlights?.[name]).slice(0, 4);
  const below = curve ? GRAPH.top + GRAPH.height + 90 : GRAPH.top + 30, height = curve ? HEIGHT : below + told.length * FEAT + FOOT;
  Object.assign(canvas, { width: WIDTH, height });
  const glow = ink.createRadialGradient(WIDTH * 0.7, height * 0.3, 40, WIDTH * 0.7, height * 0.3, WIDTH);
  glow.addColorStop(0, "#47325e");
  glow.addColorStop(1, NIGHT);
  ink.fillStyle = glow;
  ink.fillRect(0, 0, WIDTH, height);
  write(ink, gameName(game.kind), 120, "700 44px sans-serif", QUIET);
  write(ink, game.broken_off ? say("evening_broken_off") : wins(game.winners), 205, "800 76px sans-serif", WARM);
  standing(game).forEach((line, at) => {
    const y = 290 + at * 50;
    ink.fillStyle = seatPaint(line.player, line.seat);
    ink.fillRect(EDGE, y - 28, 30, 30);
    write(ink, line.player.name, y, "600 38px sans-serif", TEXT, EDGE + 50, "left", WIDTH - 2 * EDGE - 190);
    if (line.player.score !== null) write(ink, line.score, y, "800 42px sans-serif", TEXT, WIDTH - EDGE, "right");
  });
  if (curve) graph(ink, game, rows);
  told.forEach((name, at) => {
    const y = below + at * FEAT, { title, words } = feat(name, game.highlights[name]);
    write(ink, `${medals[name]}  ${title}`, y, "700 36px sans-serif", WARM);
    write(ink, words, y + 40, "400 32px sans-serif", TEXT);
  });
  write(ink, "Topple Table", height - FOOT, "600 30px sans-serif", QUIET);
  const date = new Date(game.ended).toLocaleDateString(document.documentElement.lang, { dateStyle: "long" });
  write(ink, date, height - FOOT, "400 30px sans-serif", QUIET, WIDTH - EDGE, "right");
}

function graph(ink, game, rows) {
  ink.fillStyle = PANEL;
  ink.fillRect(EDGE, GRAPH.top, WIDTH - 2 * EDGE, GRAPH.height);
  const { x, y } = scales(rows, WIDTH - 2 * EDGE, GRAPH.height, 28);
  game.players.forEach((player, seat) => {
    ink.beginPath();
    [0, ...rows.map((row) => row[seat] ?? 0)].forEach((score, turn) => ink.lineTo(EDGE + x(turn), GRAPH.top + y(score)));
    Object.assign(ink, { strokeStyle: seatPaint(player, seat), lineWidth: 7, lineJoin: "round", lineCap: "round" });
    ink.stroke();
  });
}

// Words too long are written smaller, by a third at most, and then narrower.
function write(ink, words, y, font, colour, x = EDGE, align = "left", room = WIDTH - 2 * EDGE) {
  Object.assign(ink, { font, fillStyle: colour, textAlign: align });
  const fits = Math.max(2 / 3, Math.min(1, room / ink.measureText(words).width));
  ink.font = font.replace(/\d+(?=px)/, (size) => Math.floor(size * fits));
  ink.fillText(words, x, y, room);
}
