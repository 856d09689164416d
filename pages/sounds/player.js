// Plays sound files one after the other. Each is fetched and decoded once as long as the page is open.

const RATE_HZ = 44_100, BETWEEN_S = 0.06, MOST_KEPT = 400;
const WAKES_MS = 500; // a browser that may play does so by then

// Sent to the window when nothing can be heard before somebody has touched the page.
export const UNHEARD = "unheard";

const kept = new Map(); // address -> decoded sound, or the promise of it
let context = null;

// Whether all of them have been played; false where one cannot be had, or the browser lets nobody be
// heard before somebody has touched the page.
export async function playAll(addresses, signal) {
  let found;
  try {
    found = await Promise.all(addresses.map(decoded));
  } catch {
    return false;
  }
  if (!(await awake())) return false;
  if (!signal.aborted) await played(found, signal);
  return true;
}

// The context of all sounds of this page; resumed where the browser allows it.
export function audible() {
  context ??= new AudioContext();
  context.resume().catch(() => {});
  return context;
}

async function awake() {
  const ours = audible();
  if (ours.state === "running") return true;
  await Promise.race([ours.resume().catch(() => {}), new Promise((done) => setTimeout(done, WAKES_MS))]);
  if (ours.state === "running") return true;
  dispatchEvent(new Event(UNHEARD));
  return false;
}

function decoded(address) {
  if (!kept.has(address)) {
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
    const asked = fetched(address);
    asked.catch(() => kept.delete(address)); // it may be there next time
    kept.set(address, asked);
  }
  return kept.get(address);
}

async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return new OfflineAudioContext(1, 1, RATE_HZ).decodeAudioData(await answer.arrayBuffer());
}

// Each begins by the clock of the sound card, so that no gap depends on how busy the page is.
function played(buffers, signal) {
  let at_s = context.currentTime;
  const sources = buffers.map((buffer) => {
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    source.start(at_s);
    at_s += buffer.duration + BETWEEN_S;
    return source;
  });
  return new Promise((done) => {
    sources.at(-1).addEventListener("ended", done);
    signal.addEventListener("abort", () => { sources.forEach((source) => source.stop()); done(); });
  });
}
