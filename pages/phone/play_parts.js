// The parts that all panels are made of: buttons for thumbs, headings, tokens, boards of cells.

import { mark, owners, paint } from "./colours.js";
import { el, svg } from "./dom.js";
import { colourWord } from "./play_words.js";
import { say } from "./strings.js";

// A button. With `acts` it sends something to the table, and is asleep while nothing can be sent;
// so it is while not `allowed`: it keeps its place, and the others keep theirs.
export function button(label, onTap, { kind = "", acts = false, allowed = true, pressed, name, ...attributes } = {}) {
  const node = el("button", { type: "button", class: kind, "data-acts": acts, "data-asleep": !allowed, "data-name": name ?? (typeof label === "string" ? label : false),
    "aria-pressed": pressed === undefined ? false : String(pressed), ...attributes }, ...[label].flat());
  node.onclick = ({ currentTarget }) => { if (currentTarget.getAttribute("aria-disabled") !== "true") onTap(); };
  return node;
}

export const back = (app) => row(button(say("back"), () => app.show(null), { kind: "wide", name: "back" }));

// The film of the last topple of this game, if there is one.
export const filmButton = (app) => (app.filmed === undefined ? null : button(say("film_watch"), app.watch, { kind: "wide" }));

export const heading = (words, note) => [el("h2", {}, words), note ? el("p", { class: "note" }, note) : null].filter(Boolean);
export const row = (...children) => el("div", { class: "row" }, ...children);
export const column = (...children) => el("div", { class: "column" }, ...children);

// A piece seen from above, with its owner's mark.
export function token(colour, owner, size = "") {
  return svg("svg", { class: `token ${size}`, viewBox: "-16 -16 32 32", "aria-hidden": "true" },
    svg("circle", { r: 14.5, fill: paint(colour) }),
    svg("circle", { r: 14.5, class: "rim" }),
    svg("g", { class: "token-mark", transform: "scale(.82)" }, mark(owner?.mark ?? "●", { hollow: owner?.hollow ?? false })));
}

export function pips(value) {
  const at = { 1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
    5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]] }[value] ?? [];
  return svg("svg", { class: "pips", viewBox: "-24 -24 48 48", "aria-hidden": "true" },
    ...at.map(([x, y]) => svg("circle", { cx: x * 13, cy: y * 13, r: 5 })));
}

const FILES = "abcde";
const levelAt = (file, rank) => Math.abs(file - 2) + Math.abs(rank - 2) + 1;
export const level = (cell) => levelAt(FILES.indexOf(cell[0]), Number(cell[1]) - 1);

// The board of Topple from above. `taps` maps a cell to {label, note, die, kind, tap}; its order is
// the order for keyboard and screen reader. Cells without a tap are only drawn, those `allowed` ringed.
// `meant`: where the piece lies that is asked about.
export function towerBoard(board, taps, { allowed = [], meant = null } = {}) {
  const whose = owners(board.players);
  const drawn = [];
  for (let rank = 4; rank >= 0; rank--) for (let file = 0; file < 5; file++) {
    const cell = FILES[file] + (rank + 1);
    if (!taps.has(cell)) drawn.push(el("div", { class: `cell level-${level(cell)} ${allowed.includes(cell) ? "allowed" : ""} ${cell === meant ? "meant" : ""}`, style: place(cell), "aria-hidden": "true" }, ...inside(cell, board, whose)));
  }
  const buttons = [...taps].map(([cell, { label, note, die, kind = "", tap }]) =>
    button([...inside(cell, board, whose), note ? el("span", { class: "cell-note" }, el("b", {}, note[0]), el("small", {}, note[1])) : null,
      die ? el("span", { class: "cell-die" }, pips(die)) : null].filter(Boolean), tap, {
      kind: `cell level-${level(cell)} ${kind} ${cell === meant ? "meant" : ""}`, acts: true, name: cell, "data-cell": cell, "data-says": cell,
      "aria-label": label, style: place(cell) }));
  return el("div", { class: "tower-board", role: "group", "aria-label": say("board_small") }, ...buttons, ...drawn);
}

const place = (cell) => ({ "grid-column": String(FILES.indexOf(cell[0]) + 1), "grid-row": String(6 - Number(cell[1])) });

function inside(cell, board, whose) {
  const stack = board.board[cell] ?? [], top = stack.at(-1);
  return [
    el("span", { class: "cell-name" }, cell),
    top ? token(top.colour, whose.get(top.colour)) : null,
    stack.length > 1 ? el("span", { class: "cell-height" }, String(stack.length)) : null,
  ].filter(Boolean);
}

export function cellWords(cell, board) {
  const stack = board.board[cell] ?? [];
  return stack.length ? say("cell_stack", { cell, n: stack.length, colour: colourWord(stack.at(-1).colour) }) : say("cell_empty", { cell });
}

export const allCells = () => [...FILES].flatMap((file) => [1, 2, 3, 4, 5].map((rank) => file + rank));

// Buttons of which one is chosen.
export function choice(title, options, chosen, tap, kind = "", labels = {}, prefix = "") {
  return el("div", { class: `choice ${kind}`, role: "group", "aria-label": title }, el("h3", {}, title),
    row(...options.map(([value, words]) => button(words, () => tap(value), { kind: "pick", pressed: value === chosen, name: prefix + value, "aria-label": labels[value] ?? false }))));
}

export function switchRow(words, on, tap, name) {
  const box = el("input", { type: "checkbox", "data-name": name, checked: on });
  box.onchange = ({ target }) => tap(target.checked);
  return el("label", { class: "switch" }, el("span", {}, words), box);
}
