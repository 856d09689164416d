// How long news take from the sensor to this screen, measured on every point of the trace.
//
// The parts are added up: reading (told by the table), table to scoreboard (both wall clocks,
// believed only while they agree), scoreboard to painted (this browser's clock, set by asking
// the scoreboard for its own and halving the round trip).

const KEPT = 300;
const CLOCKS_AGREE_MS = 2000;
const ASK_EVERY_MS = 60_000;

export class Latency {
  constructor() {
    this.offset_ms = null; // scoreboard's clock minus ours
    this.parts = { reading: [], network: [], painting: [], way: [], total: [] };
    this.apart_s = null;
    this.#setClock();
    setInterval(() => this.#setClock(), ASK_EVERY_MS);
  }

  async #setClock() {
    let best = Infinity;
    for (let i = 0; i < 5; i++) {
      try {
        const asked = Date.now();
        const told = await (await fetch("/clock", { cache: "no-store" })).json();
        const back = Date.now();
        if (back - asked < best) {
          best = back - asked;
          this.offset_ms = told.unix_s * 1000 - (asked + back) / 2;
        }
      } catch { return; }
    }
  }

  // Call when the point is painted.
  painted({ heard_s, point }) {
    if (this.offset_ms === null) return;
    const network = (heard_s - point.unix_s) * 1000;
    const painting = Math.max(0, Date.now() + this.offset_ms - heard_s * 1000);
    const agree = network > -5 && network < CLOCKS_AGREE_MS;
    this.apart_s = agree ? null : Math.abs(network / 1000);
    keep(this.parts.reading, point.late_ms);
    if (agree) keep(this.parts.network, Math.max(0, network));
    keep(this.parts.painting, painting);
    const way = (agree ? Math.max(0, network) : 0) + painting;
    keep(this.parts.way, way);
    keep(this.parts.total, point.late_ms + way);
  }

  median(part) { return quantile(this.parts[part], 0.5); }
  worst(part) { return quantile(this.parts[part], 0.99); }
}

function keep(values, value) {
  values.push(value);
  if (values.length > KEPT) values.shift();
}

export function quantile(values, q) {
  if (!values.length) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}
