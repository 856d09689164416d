// The live tilt of the board: a bubble in a ring, drawn like the tower, so that it lies where
// the board hangs low. A bubble of a spirit level would run the other way; this is a marble.

import { svg } from "./dom.js";
import { number, say } from "./strings.js";

const RING_DEG = 6; // where the first pieces begin to slide
const SIZE = 44;
const OLD_AFTER_MS = 4000; // a table at rest says something every second

export class Bubble {
  constructor(place) {
    this.place = place;
    this.marble = svg("circle", { class: "marble", r: 7 });
    this.words = svg("text", { class: "degrees", "text-anchor": "middle", y: 42 });
    this.timer = 0;
    this.allowed = true;
    place.replaceChildren(svg("svg", { viewBox: "-52 -34 104 84", "aria-hidden": "true" },
      ...[1, 2 / 3, 1 / 3].map((part) => svg("ellipse", { class: "ring", rx: SIZE * part, ry: SIZE * part * 0.6 })),
      svg("path", { class: "ring", d: `M${-SIZE} 0H${SIZE}M0 ${-SIZE * 0.6}V${SIZE * 0.6}` }),
      this.marble, this.words));
  }

  mayShow(allowed) {
    this.allowed = allowed;
    if (!allowed) this.place.hidden = true;
  }

  show(point) {
    clearTimeout(this.timer);
    this.place.hidden = !point?.tilt_deg || !this.allowed;
    if (this.place.hidden) return;
    const [x, y] = point.tilt_deg, size = Math.hypot(x, y);
    const scale = SIZE * Math.SQRT1_2 / Math.max(RING_DEG, size);
    // File e lies to the right and away, rank 5 to the left and away.
    this.marble.setAttribute("transform", `translate(${((x - y) * scale).toFixed(1)} ${(-(x + y) * scale * 0.6).toFixed(1)})`);
    this.words.textContent = say("bubble_degrees", { degrees: number(size, 1) });
    this.place.dataset.tilt = size.toFixed(1);
    this.place.classList.toggle("steep", size >= RING_DEG);
    this.timer = setTimeout(() => { this.place.hidden = true; }, OLD_AFTER_MS);
  }
}
