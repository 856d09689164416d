// What the page asks of the server. Every answer is an object with `ok`; none is ever thrown, so
// that whoever asks shows words instead of nothing.

// Scoreboard, health page and past games of a table ask as its phones do.
const base = location.pathname.replace(/\/$/, "").replace(/^(\/t\/[^/]+)(\/health|\/past)?$/, "$1/play");

export async function ask(name) {
  try {
    const answer = await fetch(`${base}/${name}`, { credentials: "same-origin", cache: "no-store" });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

export async function post(name, body) {
  try {
    const answer = await fetch(`${base}/${name}`, {
      method: "POST", credentials: "same-origin", cache: "no-store",
      headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    return await answer.json();
  } catch {
    return { ok: false, code: "network" };
  }
}

// A command. When the line breaks it is sent once more under the same id: the table obeys an id
// once, however often it comes.
export async function command(verb, board, data) {
  const body = { verb, id: newId(), seen: board && { boot: board.boot, game: board.game ?? null, rev: board.rev }, data };
  const first = await post("do", body);
  return first.code === "network" ? post("do", body) : first;
}

// By hand: crypto.randomUUID does not exist on pages served without TLS.
function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// 1 to 6, each as likely: numbers above the last whole six are drawn again.
export function rolled() {
  const drawn = new Uint8Array(1);
  do crypto.getRandomValues(drawn); while (drawn[0] >= 252);
  return (drawn[0] % 6) + 1;
}
