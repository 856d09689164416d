// What to check next, in words and in order of weight: pure, from what is known of a table.

import { colourWord } from "./play_words.js";
import { knows, number, say, worded } from "./strings.js";

const SLOW_STEP_MS = 250; // a decision may take 400 ms
const ROUGH_DEG = 0.25; // the aim for the pivot's friction band
const UNSURE_DEG = 0.05;
const DRIFTED_G = 5; // a third of a piece, and more than the detector likes to carry
const LATE_MS = 500; // a topple should be on the screen by then
const LEAST_HZ = { scale: 8, imu: 80 }; // an HX711 at its slow setting; half the sensor's 200
const SILENT_S = 5;

export function sensorName(name) {
  const [kind, part] = name.split(".");
  const n = part === undefined ? "" : knows(`${kind}_${part}`) ? say(`${kind}_${part}`) : isNaN(part) ? part : `C${part}`; // as on the drawings
  return knows(`sensor_${kind}`) ? say(`sensor_${kind}`, { n }).trim() : name;
}

export function advice(view, { silent_s = 0, way_ms = null } = {}) {
  const health = view.health, found = [];
  if (view.notices.includes("no_broker")) found.push(say("check_no_broker"));
  if (view.notices.includes("offline")) found.push(say("check_offline"));
  else if (silent_s > SILENT_S && !view.notices.includes("no_broker")) found.push(say("check_silent"));
  for (const [name, sensor] of Object.entries(sensors(view))) found.push(...ofSensor(name, sensor));
  if (!health) return found;
  const { table = {}, sureness, pieces } = health;
  if (sureness?.recalibrate) found.push(say("check_recalibrate", { n: sureness.corrected, of: sureness.placements }));
  for (const { colour, like, times } of pieces?.lost ?? []) found.push(say("check_mark", { colour: colourWord(colour), like: colourWord(like), n: times }));
  if (table.friction_deg > ROUGH_DEG && table.friction_sd_deg <= table.friction_deg / 2 + UNSURE_DEG)
    found.push(say("check_rough", { degrees: number(table.friction_deg, 2) }));
  if (Math.abs(table.zero_drift_g) >= DRIFTED_G) found.push(say("check_drift", { grams: number(table.zero_drift_g, 1) }));
  if (health.step_ms?.[1] > SLOW_STEP_MS) found.push(say("check_slow", { ms: Math.round(health.step_ms[1]) }));
  if (health.dropped > 0) found.push(say("check_dropped", { n: health.dropped }));
  if (health.refused?.busy) found.push(say("check_busy", { n: health.refused.busy }));
  for (const [row, bytes] of Object.entries(health.too_large ?? {})) found.push(say("check_too_large", { row, n: number(bytes) }));
  if (way_ms > LATE_MS) found.push(say("check_late", { ms: Math.round(way_ms) }));
  return found;
}

// What `health` says of the sensors, and what only `status` says yet.
export function sensors(view) {
  const found = { ...view.health?.sensors };
  for (const { sensor, ...trouble } of view.troubles ?? []) found[sensor] = { ...found[sensor], ok: false, ...trouble };
  return found;
}

function ofSensor(name, sensor) {
  if (!sensor.ok) return [say("check_sensor", { sensor: sensorName(name), reason: worded(sensor) })];
  const least = LEAST_HZ[name.split(".")[0]];
  return least && sensor.rate_hz > 0 && sensor.rate_hz < least
    ? [say("check_rate", { sensor: sensorName(name), rate: sensor.rate_hz })] : [];
}
