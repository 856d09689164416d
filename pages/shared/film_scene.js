// The tower in three dimensions on a canvas, hanging as it hung: for the film of a topple.
//
// Lengths are in cells: x from file a to e, y from rank 1 to 5, z up, all from the middle of the
// board's underside, about which it turns. The eye goes slowly around it.

import { paint } from "./colours.js";

const FILES = "abcde";
const STEP = 0.375, BASE = 0.3; // a step of 12 mm on a pitch of 32, and the board under the lowest
const RADIUS = 0.344, THICK = 0.28; // pieces of 22 x 9 mm
const PLATE_Z = -1.1, PLATE = 5.4; // the base plate that catches what falls
const ELEVATION = 0.52; // of the eye, in radians
const FALL = 306; // 9.81 m/s2 in cells
const SLIDE = 45; // along a board that hangs some 10 degrees, with friction
const CORNERS = 14; // of a disc's outline
const WOOD = ["#7d5f45", "#8d6c4d", "#9d7a56", "#ad8860", "#bd976b"];

const levelOf = (file, rank) => 4 - Math.abs(file - 2) - Math.abs(rank - 2);
const top = (level) => BASE + (level + 1) * STEP;

export class FilmScene {
  constructor(film) {
    this.columns = [];
    for (let file = 0; file < 5; file++)
      for (let rank = 0; rank < 5; rank++) this.columns.push({ x: file - 2, y: rank - 2, level: levelOf(file, rank) });
    this.pieces = Object.entries(film.before.stacks).flatMap(([cell, stack]) => stack.map((colour, height) => {
      const x = FILES.indexOf(cell[0]) - 2, y = Number(cell[1]) - 3;
      return { x, y, z: top(levelOf(x + 2, y + 2)) + height * THICK, colour: paint(colour), height };
    }));
    this.falling = falling(this.pieces, film);
  }

  // Draws the tower, over what is there, `sinceFall_s` after the first piece went (before that: negative).
  draw(ink, { width, height, tilt_deg, turn_rad, sinceFall_s }) {
    const eye = lookFrom(turn_rad, width, height), hang = hanging(tilt_deg);
    plate(ink, eye);
    // Far things first, the board as one thing: what lies on the plate is nearer or farther than all of it.
    const loose = this.pieces.map((piece) => ({ piece, at: this.#flown(piece, hang, sinceFall_s) }));
    const lying = loose.filter(({ at }) => at && at.z < 0).sort((a, b) => eye.depth(b.at) - eye.depth(a.at));
    for (const { piece, at } of lying.filter(({ at }) => eye.depth(at) > 0)) disc(ink, eye, flat, at, piece.colour);
    for (const column of [...this.columns].sort((a, b) => eye.depth(b) - eye.depth(a))) {
      block(ink, eye, hang, column);
      for (const { piece, at } of loose)
        if (!at && piece.x === column.x && piece.y === column.y) disc(ink, eye, hang, piece, piece.colour);
    }
    for (const { piece, at } of loose) if (at && at.z >= 0) disc(ink, eye, flat, at, piece.colour);
    for (const { piece, at } of lying.filter(({ at }) => eye.depth(at) <= 0)) disc(ink, eye, flat, at, piece.colour);
  }

  // Where a piece is that has left its stack; null while it has not.
  #flown(piece, hang, sinceFall_s) {
    const way = this.falling.get(piece);
    if (!way || sinceFall_s < way.after_s) return null;
    const t = sinceFall_s - way.after_s, start = hang(piece);
    const slid = 0.5 * SLIDE * Math.min(t, way.rim_s) ** 2 + SLIDE * way.rim_s * Math.max(0, t - way.rim_s);
    const z = start.z - 0.5 * FALL * Math.max(0, t - way.rim_s) ** 2;
    const stopped = Math.min(slid, way.far);
    return { x: start.x + way.x * stopped, y: start.y + way.y * stopped, z: Math.max(PLATE_Z, z) };
  }
}

// Those that lie highest and farthest on the side that goes down; a third of all. Which they really
// were no sensor can say, and the page says so.
function falling(pieces, film) {
  const [x, y] = film.tilt_deg[fallFrame(film)], steep = Math.hypot(x, y) || 1;
  const down = { x: x / steep, y: y / steep };
  const eager = [...pieces].sort((a, b) => reach(b, down) - reach(a, down)).slice(0, Math.ceil(pieces.length / 3));
  return new Map(eager.map((piece, index) => {
    const aside = ((index * 7) % 5 - 2) * 0.18; // they do not go in file
    const way = { x: down.x - aside * down.y, y: down.y + aside * down.x };
    const along = Math.max(0.3, 2.6 - (piece.x * down.x + piece.y * down.y));
    return [piece, { ...way, after_s: 0.03 * index, rim_s: Math.sqrt((2 * along) / SLIDE), far: along + 0.6 + 0.25 * (index % 4) }];
  }));
}

const reach = (piece, down) => piece.x * down.x + piece.y * down.y + 0.5 * piece.z;

// The frame in which the board hangs steepest after the jolt: then they go.
export function fallFrame(film) {
  const jolt = Math.round(film.jolt_s / film.every_s);
  const hanging = film.tilt_deg.map((pair) => Math.hypot(...pair));
  return hanging.reduce((best, tilt, frame) => (frame >= jolt && tilt > hanging[best] ? frame : best), Math.min(jolt, hanging.length - 1));
}

// How the board's points lie in the room when it hangs so far towards file e and towards rank 5.
function hanging([x_deg, y_deg]) {
  const [x_rad, y_rad] = [x_deg, y_deg].map((deg) => (deg * Math.PI) / 180);
  const [sx, cx, sy, cy] = [Math.sin(x_rad), Math.cos(x_rad), Math.sin(y_rad), Math.cos(y_rad)];
  return ({ x, y, z = 0 }) => {
    const [x1, z1] = [cx * x + sx * z, cx * z - sx * x];
    return { x: x1, y: cy * y + sy * z1, z: cy * z1 - sy * y };
  };
}

const flat = (point) => point;

function lookFrom(turn_rad, width, height) {
  const [sin, cos] = [Math.sin(turn_rad), Math.cos(turn_rad)], [up, along] = [Math.cos(ELEVATION), Math.sin(ELEVATION)];
  const scale = Math.min(width / 8.6, height / 7.3);
  const depth = ({ x, y }) => x * sin + y * cos;
  return {
    depth,
    scale,
    point({ x, y, z }) {
      return [width / 2 + scale * (x * cos - y * sin), height * 0.56 - scale * (depth({ x, y }) * along + z * up)];
    },
  };
}

function polygon(ink, points, fill) {
  ink.beginPath();
  points.forEach(([x, y], index) => (index ? ink.lineTo(x, y) : ink.moveTo(x, y)));
  ink.closePath();
  ink.fillStyle = fill;
  ink.fill();
}

function plate(ink, eye) {
  const at = PLATE / 2 + 0.3, corners = [[-at, -at], [at, -at], [at, at], [-at, at]];
  polygon(ink, corners.map(([x, y]) => eye.point({ x, y, z: PLATE_Z })), "#2f2548");
  polygon(ink, round({ x: 0, y: 0 }, 0.5).map(({ x, y }) => eye.point({ x, y, z: PLATE_Z })), "#1c1530");
  polygon(ink, [[-0.1, PLATE_Z], [0.1, PLATE_Z], [0.1, 0], [-0.1, 0]].map(([x, z]) => {
    const [px, py] = eye.point({ x: 0, y: 0, z });
    return [px + x * eye.scale, py];
  }), "#a99fc4");
}

function block(ink, eye, hang, { x, y, level }) {
  const h = 0.5, high = top(level);
  const corners = [[-h, -h], [h, -h], [h, h], [-h, h]];
  const at = (corner, z) => eye.point(hang({ x: x + corner[0], y: y + corner[1], z }));
  corners.forEach((corner, index) => {
    const next = corners[(index + 1) % 4];
    const outwards = { x: (corner[0] + next[0]), y: (corner[1] + next[1]) };
    // A side is seen when it looks to the eye.
    if (eye.depth(outwards) < -0.05)
      polygon(ink, [at(corner, 0), at(next, 0), at(next, high), at(corner, high)], shade(WOOD[level], index % 2 ? 0.62 : 0.78));
  });
  polygon(ink, corners.map((corner) => at(corner, high)), WOOD[level]);
  ink.strokeStyle = "rgb(20 16 31 / .35)";
  ink.stroke();
}

const outline = Array.from({ length: CORNERS }, (_, i) => [Math.cos((i / CORNERS) * 2 * Math.PI), Math.sin((i / CORNERS) * 2 * Math.PI)]);
const round = ({ x, y }, radius) => outline.map(([cos, sin]) => ({ x: x + radius * cos, y: y + radius * sin }));

function disc(ink, eye, hang, { x, y, z }, colour) {
  const around = round({ x, y }, RADIUS);
  // Slices one upon the other look like a wall.
  for (let slice = 0; slice < 4; slice++)
    polygon(ink, around.map((point) => eye.point(hang({ ...point, z: z + (slice * THICK) / 4 }))), shade(colour, 0.6));
  polygon(ink, around.map((point) => eye.point(hang({ ...point, z: z + THICK }))), colour);
  ink.strokeStyle = "rgb(20 16 31 / .45)";
  ink.stroke();
}

function shade(colour, part) {
  const value = parseInt(colour.slice(1), 16);
  const [r, g, b] = [value >> 16, (value >> 8) & 255, value & 255].map((one) => Math.round(one * part));
  return `rgb(${r} ${g} ${b})`;
}
