// Sounds of one's own in the place of the tones: files kept in this browser, by name.

export const NAMES = ["placed", "scored", "asked", "going", "topple", "won"];
const LARGEST_BYTES = 4_000_000; // a minute of music; more is a mistake
const DATABASE = "topple-table", SHELF = "sounds";

function opened() {
  return new Promise((done, failed) => {
    const asking = indexedDB.open(DATABASE, 1);
    asking.onupgradeneeded = () => asking.result.createObjectStore(SHELF);
    asking.onsuccess = () => done(asking.result);
    asking.onerror = () => failed(asking.error);
  });
}

// Runs `work` on the shelf; its requests are done when this is.
async function onShelf(mode, work) {
  const database = await opened();
  try {
    const deed = database.transaction(SHELF, mode), result = work(deed.objectStore(SHELF));
    await new Promise((done, failed) => { deed.oncomplete = done; deed.onerror = deed.onabort = () => failed(deed.error); });
    return result;
  } finally {
    database.close();
  }
}

// Name -> file content, of all that are kept; none in a browser that keeps nothing.
export async function pack() {
  try {
    const found = await onShelf("readonly", (shelf) => NAMES.map((name) => [name, shelf.get(name)]));
    return new Map(found.filter(([, asked]) => asked.result).map(([name, asked]) => [name, asked.result]));
  } catch {
    return new Map();
  }
}

// Keeps the files that are named like a sound (`topple.mp3`) and that this browser can play.
// Returns the names kept, and the files refused.
export async function keepSounds(files) {
  const kept = [], refused = [];
  for (const file of files) {
    const name = file.name.toLowerCase().replace(/\.[^.]*$/, "");
    const content = NAMES.includes(name) && file.size <= LARGEST_BYTES ? await file.arrayBuffer() : null;
    if (content && (await playable(content))) {
      await onShelf("readwrite", (shelf) => shelf.put(content, name));
      kept.push(name);
    } else refused.push(file.name);
  }
  return { kept, refused };
}

export const forgetSounds = () => onShelf("readwrite", (shelf) => shelf.clear());

async function playable(content) {
  try {
    await new OfflineAudioContext(1, 1, 44_100).decodeAudioData(content.slice(0));
    return true;
  } catch {
    return false;
  }
}
