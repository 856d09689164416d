// A chart that scrolls: the last half minute of one or two lines. Lines are told apart by their
// dashes and their names, not by colour alone.

import { el, svg } from "./dom.js";
import { number } from "./strings.js";

const LEFT = 46, BOTTOM = 8, TOP = 10; // in CSS pixels, so that figures are as large on a phone
const FLAT = 0.28, LOWEST = 110; // its height by its width
const SPAN_S = 30;

export class Chart {
  // `names` of the lines; `least` is the smallest range of values that fills the chart.
  constructor(place, { names, least, unit, label }) {
    this.points = []; // [seconds, value, ...]
    this.least = least;
    this.unit = unit;
    this.lines = names.map((_, index) => svg("path", { class: `line line-${index}` }));
    this.marks = svg("g", { class: "marks" });
    this.svg = svg("svg", { viewBox: "0 0 600 170", role: "img", "aria-label": label }, this.marks, ...this.lines);
    const key = names.length < 2 ? null : el("p", { class: "chart-key" }, ...names.map((name, index) =>
      el("span", {}, svg("svg", { viewBox: "0 0 30 6", "aria-hidden": "true" }, svg("path", { class: `line line-${index}`, d: "M0 3H30" })), name)));
    place.replaceChildren(...[this.svg, key].filter(Boolean));
  }

  add(at_s, values) {
    // Table time goes back when the table starts anew.
    if (this.points.length && at_s < this.points.at(-1)[0]) this.points = [];
    this.points.push([at_s, ...values]);
    while (this.points[0][0] < at_s - SPAN_S) this.points.shift();
    this.#draw(at_s);
  }

  // Of what it is drawn on, which may have been turned since.
  #size() {
    const width = this.svg.parentElement.clientWidth || 600, height = Math.max(LOWEST, Math.round(FLAT * width));
    const wanted = `0 0 ${width} ${height}`;
    if (this.svg.getAttribute("viewBox") !== wanted) this.svg.setAttribute("viewBox", wanted);
    return { width, height };
  }

  #draw(now_s) {
    const values = this.points.flatMap(([, ...rest]) => rest).filter((value) => value !== null);
    if (!values.length) return;
    let low = Math.min(0, ...values), high = Math.max(0, ...values);
    const missing = this.least - (high - low);
    if (missing > 0) [low, high] = low < 0 ? [low - missing / 2, high + missing / 2] : [low, high + missing];
    const { width, height } = this.#size();
    const x = (at_s) => LEFT + ((at_s - now_s + SPAN_S) / SPAN_S) * (width - LEFT);
    const y = (value) => height - BOTTOM - ((value - low) / (high - low)) * (height - BOTTOM - TOP);
    this.lines.forEach((line, index) => line.setAttribute("d", path(this.points, index + 1, x, y)));
    this.marks.replaceChildren(...[...new Set([low, 0, high])].flatMap((value) => [
      svg("line", { x1: LEFT, x2: width, y1: y(value), y2: y(value) }),
      svg("text", { x: LEFT - 6, y: y(value), dy: ".34em", "text-anchor": "end" }, number(Math.round(value * 10) / 10)),
    ]));
  }
}

// A gap where a sensor was not heard.
function path(points, column, x, y) {
  let pen = false;
  return points.map((point) => {
    if (point[column] === null) { pen = false; return ""; }
    const step = `${pen ? "L" : "M"}${x(point[0]).toFixed(1)} ${y(point[column]).toFixed(1)}`;
    pen = true;
    return step;
  }).join("");
}
