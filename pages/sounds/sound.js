// Sound, off until somebody wants it: short tones made here, or sounds of one's own in their place
// (sound_pack.js). Remembered for this screen only.

import { insists, lastQuestions, wonAnew } from "./asking.js";
import { justFell } from "./falls.js";
import { keep, recall } from "./remember.js";
import { audible } from "./player.js";
import { pack } from "./sound_pack.js";
import { say } from "./strings.js";

// Frequencies in Hz of a pentatonic scale, so that whatever sounds together sounds well.
const NOTES = { placed: [392], scored: [523.25, 659.25, 783.99], asked: [587.33, 783.99], going: [233.08, 220, 207.65], won: [523.25, 659.25, 783.99, 1046.5], topple: [] };
const RATE_HZ = 44_100;

let context = null;
let on = recall("sound") === "on";
let own = new Map(); // name -> decoded sound

loadOwn();

async function loadOwn() {
  const decoder = new OfflineAudioContext(1, 1, RATE_HZ), found = [...await pack()];
  own = new Map(await Promise.all(found.map(async ([name, content]) => [name, await decoder.decodeAudioData(content)])));
}

export function switchSound(wanted = !on) {
  on = wanted;
  keep("sound", on ? "on" : "off");
  if (on) play("scored");
  return on;
}

// Button and key s.
export function soundButton(button) {
  const label = () => {
    button.setAttribute("aria-pressed", String(on));
    button.textContent = say(on ? "sound_on" : "sound_off");
    button.title = say("sound_key");
  };
  const turn = () => { switchSound(); label(); };
  button.addEventListener("click", turn);
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "s" && !event.ctrlKey && !event.metaKey && !event.altKey) turn();
  });
  label();
}

// What a change of the board sounds like: its name, or null when it is silent.
export function soundOf(board, before) {
  if (!before || board.boot !== before.boot || board.game !== before.game) return null;
  const happened = board.seq > before.seq;
  if (happened && justFell(board, before)) return "topple";
  if (wonAnew(board, before)) return "won";
  if (!happened) return null;
  if (lastQuestions(board).length && before.phase !== "over") return "asked";
  if (insists(board) && board.pending.id !== before.pending?.id) return "asked";
  if (board.last?.points > 0) return "scored";
  return ["placed", "place", "play", "corrected"].includes(board.last?.type) ? "placed" : null;
}

export function sound(board, before) {
  const name = on ? soundOf(board, before) : null;
  if (name) play(name);
}

// What is no change of the board.
export function soundNow(name) {
  if (on) play(name);
}

// To try one, whether sound is on or not.
export async function playNow(name) {
  await loadOwn();
  play(name);
}

function play(name) {
  // A browser keeps silent until somebody has touched the page.
  context = audible();
  document.body.dataset.sounded = name;
  if (own.has(name)) return sample(own.get(name));
  if (name === "topple") return crash();
  NOTES[name].forEach((hz, index) => tone(hz, context.currentTime + index * 0.09, name === "placed" ? 0.12 : 0.3));
}

function sample(buffer) {
  const source = context.createBufferSource();
  source.buffer = buffer;
  source.connect(context.destination);
  source.start();
}

function tone(hz, at_s, length_s) {
  const source = context.createOscillator(), gain = context.createGain();
  source.type = "triangle";
  source.frequency.value = hz;
  gain.gain.setValueAtTime(0, at_s);
  gain.gain.linearRampToValueAtTime(0.25, at_s + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.001, at_s + length_s);
  source.connect(gain).connect(context.destination);
  source.start(at_s);
  source.stop(at_s + length_s);
}

// Wood on wood: a dozen falling knocks of filtered noise, and a slide down below them.
function crash() {
  const now = context.currentTime;
  for (let i = 0; i < 12; i++) knock(now + 0.05 * i + 0.05 * Math.random(), 900 - 45 * i);
  const slide = context.createOscillator(), gain = context.createGain();
  slide.frequency.setValueAtTime(330, now);
  slide.frequency.exponentialRampToValueAtTime(60, now + 0.8);
  gain.gain.setValueAtTime(0.2, now);
  gain.gain.exponentialRampToValueAtTime(0.001, now + 0.9);
  slide.connect(gain).connect(context.destination);
  slide.start(now);
  slide.stop(now + 0.9);
}

function knock(at_s, hz) {
  const length = Math.floor(context.sampleRate * 0.06);
  const buffer = context.createBuffer(1, length, context.sampleRate), data = buffer.getChannelData(0);
  for (let i = 0; i < length; i++) data[i] = (Math.random() * 2 - 1) * (1 - i / length) ** 3;
  const source = context.createBufferSource(), filter = context.createBiquadFilter(), gain = context.createGain();
  source.buffer = buffer;
  filter.type = "bandpass";
  filter.frequency.value = hz;
  filter.Q.value = 4;
  gain.gain.value = 0.9;
  source.connect(filter).connect(gain).connect(context.destination);
  source.start(at_s);
}
