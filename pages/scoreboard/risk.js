// The risk map over the cells: how likely something falls there, and what the place is worth.
// Colour, shape with pattern, and number say the same thing three times; the key h hides and shows it.

import { el, svg } from "./dom.js";
import { say, signed } from "./strings.js";

// Upper limits in probability. A topple costs thirteen points: at a twentieth that is less than
// a point, at a fifth it eats up most placements.
const LEVELS = [
  { kind: "low", below: 0.05, rx: 16 }, { kind: "middling", below: 0.2, rx: 8 }, { kind: "high", below: Infinity, rx: 1 }];

const levelOf = (risk) => LEVELS.find(({ below }) => risk < below);

// In per cent, without the sign: the legend has it.
function riskWords(risk) {
  return risk < 0.005 ? "0" : String(Math.round(100 * risk));
}

// A chip of 48 x 34 units, centred on the origin: no larger, so that neighbours never touch.
export function chip({ points, risk }, cell) {
  const level = levelOf(risk);
  return svg("g", { class: `risk ${level.kind}`, "data-risk": cell },
    ...plate(level, 48),
    svg("text", { class: "chance", "text-anchor": "middle", dy: ".36em" }, riskWords(risk)),
    points ? svg("g", { transform: "translate(21 -17)" },
      svg("circle", { class: "worth", r: 12.5 }),
      svg("text", { class: "worth-points", "text-anchor": "middle", dy: ".36em" }, signed(points))) : null);
}

function plate({ kind, rx }, width) {
  const shape = (inset) => ({
    x: inset - width / 2, y: inset - 16, width: width - 2 * inset, height: 32 - 2 * inset, rx: Math.max(0, rx - inset) });
  return [svg("rect", { class: "chip", ...shape(0) }),
    kind === "low" ? null : svg("rect", { class: "texture", ...shape(1), fill: `url(#risk-${kind})` })].filter(Boolean);
}

export function patterns() {
  const stripes = (name, size, path) => svg("pattern", { id: name, width: size, height: size, patternUnits: "userSpaceOnUse" }, svg("path", { d: path }));
  return [
    stripes("risk-middling", 10, "M0 10L10 0M-2 2L2-2M8 12L12 8"),
    stripes("risk-high", 10, "M0 10L10 0M-2 2L2-2M8 12L12 8M0 0L10 10M8-2L12 2M-2 8L2 12"),
  ];
}

export function showLegend(place, hints) {
  place.hidden = !hints || !Object.keys(hints).length;
  if (place.hidden || place.childElementCount) return;
  place.replaceChildren(el("b", {}, say("risk_title")), ...LEVELS.map((level) =>
    el("span", { class: "legend-entry" },
      svg("svg", { class: "legend-swatch", viewBox: "-26 -17 52 34", "aria-hidden": "true" },
        svg("g", { class: `risk ${level.kind}` }, ...plate(level, 48))),
      say(`risk_${level.kind}`))));
}

addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "h" || event.ctrlKey || event.metaKey || event.altKey) return;
  document.body.classList.toggle("without-hints");
});
