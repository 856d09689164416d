// How one table is: live traces, sensors, pivot, how sure it is, latency, and in words what to
// check next. Figures that a newer table adds are shown under their own names.

import { advice, sensorName, sensors } from "./advice.js";
import { Chart } from "./chart.js";
import { el } from "./dom.js";
import { follow } from "./feed.js";
import { figures, grams, list, milliseconds } from "./figures.js";
import { Latency } from "./latency.js";
import { command } from "./play_api.js";
import { colourWord } from "./play_words.js";
import { notices } from "./notices.js";
import { here, number, percent, say, sayAll, tongueOf, worded } from "./strings.js";
import { themeButton } from "./theme.js";

const id = (name) => document.getElementById(name);
const table = decodeURIComponent(location.pathname.split("/")[2]);
const KNOWN = ["ok", "rate_hz", "age_s", "reason"];
// Shown elsewhere on the page, or told to programs only: how long a document may be believed.
const LEFT_OUT = ["v", "boot", "t_s", "sensors", "step_ms", "table", "sureness", "pieces", "pieces_tell", "until", "valid_s", "recording"];
const latency = new Latency();
let last = null; // the document received last
let trusted = false; // whether the server would give us a support bundle
let joined = false; // whether this phone may act
let heard = performance.now(); // of the trace

sayAll();
themeButton(null);
id("title").textContent = document.title = say("health_title", { table });
id("to-table").href = here(`/t/${table}`);
id("to-tables").href = here("/");
id("bundle").href = `/t/${table}/support.zip`;
const weight = new Chart(id("weight"), { names: [say("health_weight")], least: 20, label: say("health_weight") });
const tilt = new Chart(id("tilt"), { names: [say("health_tilt_x"), say("health_tilt_y")], least: 4, label: say("health_tilt") });

follow(`/t/${table}/health/stream`, (view) => {
  if (view === undefined) return;
  if (view === null) return notices(id("notices"), ["page"]);
  last = view;
  notices(id("notices"), view.notices, view.broker);
  id("support").hidden = !(view.support && trusted);
  show();
}, (trace) => {
  heard = performance.now();
  draw(trace.point);
  requestAnimationFrame(() => latency.painted(trace));
});
setInterval(show, 1000);
ask();

async function ask() {
  const answer = await fetch(`/t/${table}/play/me`, { cache: "no-store" }).catch(() => null);
  const me = answer?.ok ? await answer.json() : {};
  joined = Boolean(me.joined);
  trusted = Boolean(joined || me.own);
  id("support").hidden = !(last?.support && trusted);
}

function draw({ t_s, mass_g, tilt_deg }) {
  weight.add(t_s, [mass_g]);
  tilt.add(t_s, tilt_deg ?? [null, null]);
  id("weight-now").textContent = mass_g === null ? "–" : grams(mass_g);
  id("tilt-now").textContent = tilt_deg === null ? "–" : say("bubble_degrees", { degrees: number(Math.hypot(...tilt_deg), 1) });
}

function show() {
  if (!last) return;
  const health = last.health;
  showAdvice();
  showSensors();
  showLatency(health);
  list(id("board"), figures(health?.table, ["words"]));
  showPivot(health?.table);
  list(id("sureness"), [...sureness(health?.sureness), ...marks(health ?? {})]);
  list(id("link"), figures(health, LEFT_OUT));
  showRecording(health?.recording);
  document.body.dataset.ready = String(Boolean(health));
}

function showPivot({ words = "", code, args } = {}) {
  if (id("pivot").dataset.said === words) return;
  const verdict = { reason: words, code, args };
  id("pivot").dataset.said = words;
  id("pivot").textContent = worded(verdict);
  id("pivot").lang = tongueOf(verdict);
}

function showAdvice() {
  const words = advice(last, { silent_s: (performance.now() - heard) / 1000, way_ms: latency.worst("way") });
  const shown = words.length ? words : [say(last.health ? "check_nothing" : "health_unknown")];
  const key = shown.join("\n");
  if (id("check").dataset.key === key) return;
  id("check").dataset.key = key;
  id("check").classList.toggle("well", !words.length);
  id("check").replaceChildren(...shown.map((text) => el("li", {}, text)));
}

function showSensors() {
  const rows = Object.entries(sensors(last)).map(([name, sensor]) => el("tr", { class: sensor.ok ? "good" : "bad" },
    el("th", { scope: "row" }, sensorName(name)),
    el("td", { class: "state" }, say(sensor.ok ? "health_ok" : "health_bad")),
    el("td", {}, sensor.rate_hz === undefined ? "" : number(sensor.rate_hz)),
    el("td", {}, age(sensor.age_s)),
    el("td", {}, figures(sensor, KNOWN, true).map(([words, text]) => `${words} ${text}`).join(", "))));
  const head = ["health_sensor", "health_state", "health_rate", "health_age", "health_more"];
  id("sensors").replaceChildren(el("table", {},
    el("thead", {}, el("tr", {}, ...head.map((key) => el("th", { scope: "col" }, say(key))))), el("tbody", {}, ...rows)));
}

function showRecording(on) {
  id("recording").hidden = typeof on !== "boolean" || !(on || joined);
  id("record").hidden = !joined;
  id("record").dataset.on = String(on);
  id("record").textContent = say(on ? "record_end" : "record_begin");
  if (!id("record").dataset.failed) id("record-said").textContent = on ? say("record_runs") : "";
}

id("record").onclick = async () => {
  const answer = await command("record", null, { on: id("record").dataset.on !== "true" });
  id("record").dataset.failed = answer.ok ? "" : "yes";
  if (!answer.ok) id("record-said").textContent = say("record_failed");
};

function age(age_s) {
  if (age_s === undefined) return "";
  return age_s === null ? say("health_never") : say("health_age_seconds", { seconds: number(age_s, 1) });
}

function showLatency(health) {
  const rows = [
    ["health_reading", latency.median("reading")],
    ["health_deciding", health?.step_ms?.[0]],
    ["health_deciding_worst", health?.step_ms?.[1]],
    ["health_network", latency.median("network")],
    ["health_painting", latency.median("painting")],
    ["health_total", latency.median("total")],
    ["health_total_worst", latency.worst("total")],
  ].filter(([, ms]) => ms !== null && ms !== undefined);
  list(id("latency"), rows.map(([key, ms]) => [say(key), milliseconds(ms)]));
  id("clocks").hidden = latency.apart_s === null;
  if (latency.apart_s !== null) id("clocks").textContent = say("health_clocks", { seconds: number(latency.apart_s, 1) });
}

// What the weight of a piece says of whose it is; nothing is ever quite certain.
function marks({ pieces: found, pieces_tell: told }) {
  const tells = told ? [[say("health_tells"), say(`tells_${told}`)]] : [];
  if (!found) return tells;
  const masses = Object.entries(found.masses_g).map(([colour, mass_g]) => `${colourWord(colour)} ${number(mass_g, 2)}\u202fg`);
  return [...tells, [say("health_masses"), masses.join(", ")], [say("health_marks"), percent(Math.min(found.certainty, 0.9999))]];
}

function sureness(found) {
  if (!found) return [];
  const { placements, mean_confidence, asked, expected_wrong, corrected } = found;
  return [
    [say("health_placements"), number(placements)],
    mean_confidence === null ? null : [say("health_mean_confidence"), percent(mean_confidence)],
    [say("health_asked"), number(asked)],
    [say("health_expected_wrong"), number(expected_wrong)],
    [say("health_corrected"), number(corrected)],
    placements ? [say("health_rate_corrected"), percent(corrected / placements)] : null,
  ].filter(Boolean);
}
