// The tower: a stepped board seen from above its a1 corner, with its stacks.
//
// Every cell is a group of its own, laid down once from the far corner to the near one, so that
// near stacks hide far ones. Pieces are added to and taken from their cell's group; one that
// stays is left alone, so that what moves on the screen is what moved on the table.

import { mark, owners, paint } from "./colours.js";
import { calm, svg } from "./dom.js";
import { chip, patterns } from "./risk.js";

const FILES = "abcde";
const HALF_W = 52, HALF_H = 31; // half diagonals of a cell on the screen
const STEP = 11; // height of one level; the centre is the highest
const PIECE_RX = 29, PIECE_RY = 17, PIECE_H = 17;
const BOTTOM = -26; // underside of the board
const LEAN = 1.5; // so much steeper than it hangs: the few degrees that matter shall be seen
const STEEPEST_DEG = 8; // or it would leave the screen

const height = (file, rank) => (4 - Math.abs(file - 2) - Math.abs(rank - 2)) * STEP;
const at = (file, rank, z = 0) => [(file - rank) * HALF_W, -(file + rank) * HALF_H - z];

export class Tower {
  constructor(place) {
    this.cells = new Map();
    this.world = svg("g", { class: "world" });
    this.overlay = svg("g", { class: "labels" });
    this.riskmap = svg("g", { class: "risks" });
    this.fallen = svg("g", { class: "fallen" });
    this.svg = svg("svg", { class: "tower-svg", role: "img", preserveAspectRatio: "xMidYMax meet" },
      gradients(), pedestal(), this.world, this.fallen, this.riskmap, this.overlay);
    for (let far = 8; far >= 0; far--)
      for (let file = 4; file >= 0; file--) {
        const rank = far - file;
        if (rank >= 0 && rank <= 4) this.#lay(file, rank);
      }
    this.world.append(edgeNames());
    this.#frame(0);
    place.replaceChildren(this.svg);
  }

  #lay(file, rank) {
    const name = FILES[file] + (rank + 1);
    const [x, y] = at(file, rank, height(file, rank));
    const group = svg("g", { "data-cell": name, transform: `translate(${x} ${y})` });
    const glow = svg("path", { class: "glow", d: diamond(0.86) });
    const pieces = svg("g", { class: "pieces" });
    const [number, ...wood] = block(file, rank);
    group.append(...wood, glow, number, pieces);
    this.world.append(group);
    this.cells.set(name, { group, glow, pieces, shown: [] });
  }

  // Show the stacks. `animate` is false for the first picture and after a gap.
  // `meant`: the cell on which a piece lies that is asked about.
  show(board, { animate, allowed, colour, words, meant = null }) {
    const whose = owners(board.players);
    let tallest = 0;
    for (const [name, cell] of this.cells) {
      const stack = board.board[name] ?? [];
      this.#stack(cell, stack, whose, animate && !calm());
      tallest = Math.max(tallest, stackTop(name, stack.length));
      cell.group.classList.toggle("allowed", allowed.has(name) && !meant);
      cell.group.classList.toggle("meant", name === meant);
    }
    this.svg.style.setProperty("--glow", colour ?? "#fff");
    this.svg.setAttribute("aria-label", words);
    this.#frame(tallest);
  }

  // Labels over cells: the likely places when the table asks, the points of the last piece. One
  // `above` leaves the piece below it in sight.
  label(labels) {
    this.overlay.replaceChildren(...labels.map(({ cell, text, kind, above }) => {
      const found = this.cells.get(cell);
      if (!found) return svg("g");
      const [x, y] = position(cell);
      const top = y - found.shown.length * PIECE_H - (kind === "points" || above ? 46 : 14);
      return svg("g", { class: `label ${kind}`, transform: `translate(${x} ${top})` },
        svg("rect", { x: -10 - 7.5 * text.length, y: -21, width: 20 + 15 * text.length, height: 42, rx: 21 }),
        svg("text", { "text-anchor": "middle", dy: ".36em" }, text));
    }));
  }

  // What each cell would bring; null for none. At the foot of its stack, where nothing moves
  // about when stacks grow, and laid down from far to near like the cells themselves.
  risks(hints) {
    this.svg.classList.toggle("hinted", Boolean(hints));
    const known = [...this.cells.keys()].filter((cell) => hints?.[cell]);
    this.riskmap.replaceChildren(...known.map((cell) =>
      svg("g", { transform: `translate(${position(cell).join(" ")})` }, chip(hints[cell], cell))));
  }

  // Pieces lying about after a topple, the same on every display (they are strewn by `seq`).
  debris(colours, board) {
    const whose = owners(board.players);
    const random = sequence(board.seq + 1);
    const lying = colours.length ? Array.from({ length: 13 }, (_, index) => {
      const side = index % 2 ? 1 : -1, x = side * (60 + 205 * random()), y = 92 - 0.28 * Math.abs(x) + 26 * random();
      const colour = colours[Math.floor(random() * colours.length)];
      const node = draw(colour, whose.get(colour));
      node.setAttribute("transform", `translate(${x} ${y}) rotate(${-75 + 150 * random()}) scale(.92)`);
      return { node, y };
    }) : [];
    this.fallen.replaceChildren(...lying.sort((a, b) => a.y - b.y).map(({ node }) => node));
  }

  // Leans to the left or right as the board does, live: [x, y] in degrees; null: upright again.
  lean(tilt_deg) {
    const [x, y] = calm() || !tilt_deg ? [0, 0] : tilt_deg;
    // File e lies to the right, rank 5 to the left, as in bubble.js.
    const steep = LEAN * (x - y) * Math.SQRT1_2;
    this.world.style.rotate = `${Math.max(-STEEPEST_DEG, Math.min(STEEPEST_DEG, steep)).toFixed(1)}deg`;
  }

  // Everything on the board flies off; resolves when it has. Nothing is allowed any more.
  async topple() {
    const flights = [];
    for (const { group } of this.cells.values()) group.classList.remove("allowed");
    this.label([]);
    this.risks(null);
    if (!calm()) {
      this.world.animate(
        [0, -9, 8, -5, 4, -2, 0].map((tilt) => ({ transform: `rotate(${tilt}deg)` })),
        { duration: 1600, easing: "ease-out" });
      for (const cell of this.cells.values())
        cell.shown.forEach((piece, index) => flights.push(fly(piece.node, index)));
    }
    await Promise.allSettled(flights.map((flight) => flight.finished));
  }

  #stack(cell, stack, whose, animate) {
    const same = (piece, index) => piece.colour === stack[index]?.colour;
    let keep = 0;
    while (keep < cell.shown.length && keep < stack.length && same(cell.shown[keep], keep)) keep++;
    for (const piece of cell.shown.splice(keep)) piece.node.remove();
    stack.forEach((piece, index) => {
      if (index >= keep) {
        const node = draw(piece.colour, whose.get(piece.colour));
        node.setAttribute("transform", `translate(0 ${-index * PIECE_H})`);
        cell.pieces.append(node);
        cell.shown.push({ colour: piece.colour, node });
        if (animate && index === stack.length - 1 && keep === stack.length - 1) drop(node);
      }
      const strange = piece.weighs ? " wrong" : "";
      put(cell.shown[index].node, "class", `piece ${piece.status ?? "confirmed"}${strange}`);
      if (piece.weighs) cell.shown[index].node.style.setProperty("--weighs", paint(piece.weighs));
    });
  }

  // The picture grows upwards when a stack outgrows it, and never shrinks below four pieces.
  #frame(tallest) {
    const top = Math.max(tallest, 8 * HALF_H + 3.2 * PIECE_H) + 46;
    put(this.svg, "viewBox", `-292 ${-top} 584 ${top + 122}`);
  }
}

// Written only when it differs: the browser would draw the same picture again.
function put(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

function position(cell) {
  const file = FILES.indexOf(cell[0]), rank = Number(cell[1]) - 1;
  return at(file, rank, height(file, rank));
}

function stackTop(cell, pieces) {
  return pieces ? -position(cell)[1] + pieces * PIECE_H + PIECE_RY : 0;
}

function diamond(scale = 1) {
  const w = HALF_W * scale, h = HALF_H * scale;
  return `M0 ${-h}L${w} 0L0 ${h}L${-w} 0z`;
}

function block(file, rank) {
  const level = Math.abs(file - 2) + Math.abs(rank - 2) + 1;
  // Only as deep as the lower neighbour in front, except on the rim.
  const depth = (f, r) => (f < 0 || r < 0 ? height(file, rank) - BOTTOM : Math.max(0, height(file, rank) - height(f, r)));
  const left = depth(file - 1, rank), right = depth(file, rank - 1);
  const side = (sign, deep, kind) => svg("path", {
    class: `${kind} level-${level}`,
    d: `M${sign * HALF_W} 0L0 ${HALF_H}v${deep}L${sign * HALF_W} ${deep}z` });
  return [
    svg("text", { class: "level-number", "text-anchor": "middle", transform: "scale(1 .6)", dy: ".36em" }, String(level)),
    side(-1, left, "wood-left"), side(1, right, "wood-right"),
    svg("path", { class: `wood level-${level}`, d: diamond() }),
  ];
}

function edgeNames() {
  const names = svg("g", { class: "edge-names" });
  for (let i = 0; i < 5; i++) {
    const [fx, fy] = at(i, -0.78), [rx, ry] = at(-0.78, i);
    names.append(
      svg("text", { x: fx, y: fy - BOTTOM, "text-anchor": "middle" }, FILES[i]),
      svg("text", { x: rx, y: ry - BOTTOM, "text-anchor": "middle" }, String(i + 1)));
  }
  return names;
}

function pedestal() {
  return svg("g", { class: "pedestal" },
    svg("ellipse", { cx: 0, cy: 84, rx: 280, ry: 44, fill: "url(#shadow)" }),
    svg("path", { class: "base-side", d: "M-150 66v12a150 34 0 0 0 300 0v-12z" }),
    svg("ellipse", { class: "base", cx: 0, cy: 66, rx: 150, ry: 34 }));
}

function draw(colour, owner) {
  const fill = paint(colour);
  const shape = owner?.mark ?? "●", hollow = owner?.hollow ?? false;
  const side = `M${-PIECE_RX} 0v${-PIECE_H}h${2 * PIECE_RX}v${PIECE_H}A${PIECE_RX} ${PIECE_RY} 0 0 1${-PIECE_RX} 0z`;
  return svg("g", {},
    svg("path", { class: "body", d: side, fill }),
    svg("path", { d: side, fill: "url(#barrel)" }),
    svg("g", { class: "side-mark", transform: `translate(0 ${PIECE_RY - PIECE_H / 2 - 0.5}) scale(.72 .6)` }, mark(shape, { hollow })),
    svg("ellipse", { class: "face", cy: -PIECE_H, rx: PIECE_RX, ry: PIECE_RY, fill }),
    svg("ellipse", { class: "shine", cy: -PIECE_H, rx: PIECE_RX, ry: PIECE_RY, fill: "url(#shine)" }),
    svg("g", { class: "top-mark", transform: `translate(0 ${-PIECE_H}) scale(1.4 .83)` }, mark(shape, { hollow })));
}

function drop(node) {
  node.animate(
    [
      { translate: "0 -190px", opacity: 0, easing: "cubic-bezier(.5,0,.9,.6)" },
      { translate: "0 0", opacity: 1, offset: 0.62, easing: "ease-out" },
      { translate: "0 -14px", offset: 0.8, easing: "ease-in" },
      { translate: "0 0" },
    ],
    { duration: 400 });
}

function fly(node, index) {
  const side = Math.random() < 0.5 ? -1 : 1;
  const out = side * (120 + Math.random() * 260), up = -60 - Math.random() * 140 - index * 12;
  const turn = side * (180 + Math.random() * 420);
  node.style.setProperty("transform-box", "fill-box");
  node.style.setProperty("transform-origin", "center");
  return node.animate(
    [
      { translate: "0 0", rotate: "0deg", easing: "cubic-bezier(.2,.6,.5,1)" },
      { translate: `${out * 0.55}px ${up}px`, rotate: `${turn * 0.4}deg`, offset: 0.4, easing: "cubic-bezier(.5,0,.9,.5)" },
      { translate: `${out}px 460px`, rotate: `${turn}deg`, opacity: 0 },
    ],
    { duration: 1500 + Math.random() * 300, delay: 120 * Math.random(), fill: "forwards" });
}

// A small repeatable sequence of numbers from 0 to 1.
function sequence(seed) {
  let state = (seed * 2654435761) >>> 0;
  return () => (state = (state * 1664525 + 1013904223) >>> 0) / 4294967296;
}

function gradients() {
  const stop = (offset, colour, opacity) => svg("stop", { offset, "stop-color": colour, "stop-opacity": opacity });
  return svg("defs", {},
    svg("linearGradient", { id: "barrel" },
      stop("0", "#000", 0.5), stop("0.28", "#000", 0.1), stop("0.45", "#fff", 0.16), stop("0.7", "#000", 0.14), stop("1", "#000", 0.58)),
    svg("radialGradient", { id: "shine", cx: "0.35", cy: "0.2", r: "0.9" },
      stop("0", "#fff", 0.42), stop("0.5", "#fff", 0.06), stop("1", "#000", 0.16)),
    ...patterns(),
    svg("radialGradient", { id: "shadow" }, stop("0", "#000", 0.6), stop("0.7", "#000", 0.25), stop("1", "#000", 0)));
}
