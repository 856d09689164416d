// How near the tower is to falling: a column with a heart that beats faster the higher it stands.
// The pale part is as far as one table in ten would differ. Key t puts it away and brings it back.

import { svg } from "./dom.js";
import { keep, recall } from "./remember.js";
import { percent, say } from "./strings.js";

const HEIGHT = 200, WIDTH = 20;
const LEVELS = [{ kind: "calm", below: 0.4 }, { kind: "warm", below: 0.7 }, { kind: "hot", below: Infinity }];
const BEAT_S = { calm: 1.1, warm: 0.75, hot: 0.45 };

export class TensionMeter {
  #hidden = recall("tension") === "off";

  constructor(place) {
    this.place = place;
    this.range = svg("rect", { class: "range", x: -WIDTH / 2, width: WIDTH });
    this.column = svg("rect", { class: "column", x: -WIDTH / 2, width: WIDTH });
    this.heart = svg("path", { class: "heart", d: "M0 7C-16-4-9-14-3-12 0-11 0-8 0-8s0-3 3-4c6-2 13 8-3 19z" });
    this.at = svg("g", {}, this.heart);
    place.setAttribute("role", "meter");
    place.setAttribute("aria-valuemin", "0");
    place.setAttribute("aria-valuemax", "100");
    place.setAttribute("aria-label", say("tension"));
    place.title = say("tension_key");
    place.replaceChildren(svg("svg", { viewBox: `-26 -18 52 ${HEIGHT + 36}`, "aria-hidden": "true" },
      svg("rect", { class: "trough", x: -WIDTH / 2, y: 0, width: WIDTH, height: HEIGHT, rx: WIDTH / 2 }), this.column, this.range, this.at));
    addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() === "t" && !event.ctrlKey && !event.metaKey && !event.altKey) this.#switch();
    });
  }

  show({ tension }) {
    this.tension = tension;
    this.place.hidden = this.#hidden || !tension;
    if (!tension) return;
    const { value, low, high } = tension, { kind } = LEVELS.find(({ below }) => value < below);
    const y = (part) => HEIGHT * (1 - part);
    this.place.className = `tension ${kind}`;
    this.place.style.setProperty("--beat", `${BEAT_S[kind]}s`);
    this.place.setAttribute("aria-valuenow", String(Math.round(100 * value)));
    this.place.setAttribute("aria-valuetext", say("tension_words", { value: percent(value), low: percent(low), high: percent(high) }));
    Object.entries({ y: y(value), height: HEIGHT * value }).forEach(([name, size]) => this.column.setAttribute(name, size.toFixed(1)));
    Object.entries({ y: y(high), height: HEIGHT * (high - low) }).forEach(([name, size]) => this.range.setAttribute(name, size.toFixed(1)));
    this.at.setAttribute("transform", `translate(0 ${y(value).toFixed(1)})`);
  }

  #switch() {
    this.#hidden = !this.#hidden;
    keep("tension", this.#hidden ? "off" : "on");
    this.place.hidden = this.#hidden || !this.tension;
  }
}
