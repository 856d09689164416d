// A table of somebody else: no sensors, no line of ours. Deeds are entered as lines of JSON on
// standard input (docs/bench.md, The line of a hand), and what follows is published as docs/mqtt.md
// promises. Written from that document and docs/rules.md alone; Topple without house rules, one
// colour a player, no topples.
//
// node table.mjs PORT USER PASSWORD TABLE [FAULT]
//
// FAULT plants one of the mistakes below, each as it might be made.
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import mqtt from "mqtt"; // npm install mqtt, in this folder

const [port, username, password, table, fault = ""] = process.argv.slice(2);
const FILES = "abcde";
const CELLS = [...FILES].flatMap((file) => [1, 2, 3, 4, 5].map((rank) => file + rank));
const ROWS = [
  ...[1, 2, 3, 4, 5].map((rank) => [...FILES].map((file) => file + rank)),
  ...[...FILES].map((file) => [1, 2, 3, 4, 5].map((rank) => file + rank)),
  [...FILES].map((file, n) => file + (n + 1)),
  [...FILES].map((file, n) => file + (5 - n)),
];
const PIECES = 12;
const MARKS = ["●", "▲", "■", "◆"];
const boot = randomBytes(4).toString("hex");
const begun = performance.now();
const since = new Date().toISOString();

// --- the game ------------------------------------------------------------------------------------

let game = null; // an immutable value; undo goes back to an older one
let past = [];
let future = [];
let rev = 0;
let seq = 0;
let ref = 0;
let last = null;
const results = [];
const refused = {};

const level = (cell) => Math.abs(FILES.indexOf(cell[0]) - 2) + Math.abs(cell[1] - 3) + 1;
const now = () => (performance.now() - begun) / 1000;
const top = (board, cell) => board[cell]?.at(-1)?.colour;
const player = () => game.players[game.turn];
const lying = (colour) => Object.values(game.board).flat().filter((p) => p.colour === colour).length;

function next(seat) {
  const count = game.players.length;
  return fault === "turn-order" ? (seat + count - 1) % count : (seat + 1) % count;
}

function ways(board, cell, colour) {
  const stack = board[cell];
  const found = [];
  for (const row of ROWS) {
    if (!row.includes(cell) || !row.every((each) => board[each]?.length)) continue;
    const own = row.filter((each) => each !== cell && top(board, each) === colour).length;
    if (stack.length === 1) found.push({ way: "row", where: row.join(""), points: 3 + own });
    else found.push({ way: "added", where: row.join(""), points: 1 + own });
  }
  if (stack.length > 3) {
    const counted = fault === "off-by-one" ? stack.slice(0, -1) : stack;
    const own = counted.filter((piece) => piece.colour === colour).length;
    found.push({ way: "stack", where: cell, points: own });
  }
  return found;
}

class Refused extends Error {
  constructor(code, reason) {
    super(reason.replaceAll("_", " "));
    this.code = code;
    this.reason = reason;
  }
}

const illegal = (reason) => new Refused("illegal", reason);

// --- telling -------------------------------------------------------------------------------------

let client = null;
let told = []; // events of the change that is under way

function say(row, document, { qos = 1, retain = true } = {}) {
  const payload = typeof document === "string" ? document : JSON.stringify(document);
  if (client?.connected) client.publish(`topple/1/${table}/${row}`, payload, { qos, retain });
}

function event(type, who, data) {
  seq += fault === "seq-gap" && type === "undone" ? 2 : 1;
  const said = { table, boot, game: game.id, seq, rev, t: now(), type, data, v: 1 };
  if (who) said.player = who;
  told.push(said);
}

function shown() {
  const still = game && !game.over;
  return {
    table, boot, game: game?.id ?? null, rev, seq, kind: game ? "topple" : null,
    phase: !game ? "idle" : game.over ? "over" : game.die === null ? "roll" : "act",
    round: game ? 1 : 0, target: game?.target ?? null,
    turn: still
      ? { player: player().name, die: game.die, cells: game.die && CELLS.filter(allowed), colour: null }
      : null,
    players: (game?.players ?? []).map((each, seat) => ({
      name: each.name, colours: [each.colour], mark: MARKS[seat], score: each.score,
      provisional: false, left: { [each.colour]: PIECES - lying(each.colour) }, colour_scores: {}, out: false,
    })),
    board: game?.board ?? {}, last, pending: null,
    can: { any: ["start", ...(past.length ? ["undo"] : []), ...(future.length ? ["redo"] : [])] },
    undo_depth: past.length, redo_depth: future.length, winners: [], history: game?.history ?? [],
    view: null, hints: null, tension: null, doubt: null, result: game?.over ? "final" : null,
    before_winner: [], simulated: false, v: 1,
  };
}

function summary() {
  const size = (text) => (fault === "characters" ? text.length : Buffer.byteLength(text));
  const state = shown();
  for (const length of [40, 12, 6, 3, 1]) {
    const cut = Object.fromEntries(
      state.players.map(({ name }, n) => [name, length < 12 ? [...name].slice(0, length).join("") + (n + 1) : [...name].slice(0, length).join("")]),
    );
    const short = { v: 1, ph: state.phase, r: rev, p: {} };
    for (const { name, score } of state.players) short.p[cut[name]] = score;
    if (state.turn) Object.assign(short, { t: cut[state.turn.player], d: state.turn.die });
    if (size(JSON.stringify(short)) <= 200) return short;
  }
  return { v: 1, ph: state.phase, r: rev, p: {} };
}

let before = null; // the state that was published before the newest one
let newest = null;

function tell() {
  const events = () => told.forEach((each) => say("event", each, eventOptions(each)));
  const state = () => {
    say("state", shown(), { retain: !(fault === "lost-retain" && last?.type === "undone") });
    say("summary", summary());
  };
  const rolled = told.some((each) => each.type === "rolled");
  for (const part of fault === "state-first" && rolled ? [state, events] : [events, state]) part();
  [before, newest] = [newest, shown()];
  told = [];
  repeatIn(5000);
}

function eventOptions(each) {
  return { retain: false, qos: fault === "wrong-qos" && each.type === "score" ? 0 : 1 };
}

let repeating = null;
function repeatIn(ms) {
  clearTimeout(repeating);
  repeating = setTimeout(() => {
    say("state", shown());
    say("summary", summary());
    repeatIn(Math.min(2 * ms, 300_000));
  }, ms);
}

function status(phase) {
  return { boot, phase, since, sw: "0.1", simulated: false, troubles: [], mode: "by hand", pieces_tell: "none", api: 1, v: 1 };
}

function health() {
  const valid_s = fault === "validity" ? 35_000 : 35;
  return {
    boot, t_s: now(), sensors: {}, step_ms: [0, 0], dropped: 0,
    table: {
      words: "pieces are entered by hand", friction_deg: 0, friction_sd_deg: 0, period_s: 0, damping_s: 0,
      noise_g: 0, zero_drift_g: 0, scale_hz: 0, imu_hz: 0, code: "", args: {},
    },
    link: null, pins: null, until: Date.now() / 1000 + 35, valid_s, clients: {}, sureness: null,
    pieces: null, pieces_tell: "none", too_large: {}, refused, recording: null, v: 1,
  };
}

function birth() {
  say("status", status("ready"));
  say("state", fault === "stale" && before ? before : shown());
  say("summary", summary());
  say("results", { table, boot, games: results, simulated: false, v: 1 });
  say("health", health(), { qos: 0 });
  say("availability", "online");
}

// --- doing ---------------------------------------------------------------------------------------

function changed(verb, cell, value) {
  past.push({ game, verb, cell, ref });
  future = [];
  game = value;
}

function scored(was) {
  const points = (value) => Object.fromEntries((value?.players ?? []).map((each) => [each.name, each.score]));
  const [old, scores] = [points(was), points(game)];
  const changes = Object.fromEntries(
    Object.keys(scores).filter((name) => scores[name] !== (old[name] ?? 0)).map((name) => [name, scores[name] - (old[name] ?? 0)]),
  );
  if (Object.keys(changes).length) event("score", null, { scores, changes });
  return changes;
}

function turned(was) {
  if (game.over || (was && !was.over && was.turn === game.turn && was.id === game.id)) return;
  event("turn", player().name, { phase: "roll" });
}

const allowed = (cell) => game.die === 6 || game.die === level(cell);

function finished(turn) {
  const value = { ...game, ...turn, die: null };
  value.history = [...game.history, value.players.map((each) => each.score)];
  value.turn = next(game.turn);
  return value;
}

function place({ cell, colour }) {
  if (!game || game.over) throw illegal("no_game");
  if (game.die === null) throw illegal("not_rolled");
  if (!allowed(cell)) throw illegal("wrong_level");
  const was = game;
  const who = player();
  if (colour !== who.colour) throw illegal("not_your_colour");
  rev += 1;
  ref += 1;
  const board = { ...game.board, [cell]: [...(game.board[cell] ?? []), { colour, ref }] };
  const found = ways(board, cell, colour);
  const points = found.reduce((sum, way) => sum + way.points, 0);
  const players = game.players.map((each) => (each === who ? { ...each, score: each.score + points } : each));
  const data = {
    ref, cell, colour, points, confidence: 1, ways: found, status: "confirmed", die: game.die,
    changes: points ? { [colour]: points } : {},
  };
  changed("place", cell, finished({ board, players }));
  event("placed", who.name, data);
  last = { type: "placed", player: who.name, ref, cell, colour, points, confidence: 1, ways: found, changes: data.changes, status: "confirmed" };
  scored(was);
  turned(was);
  tell();
}

const VERBS = {
  start(data) {
    if (game && !game.over && !data.replace) throw illegal("game_running");
    const players = data.players.map((each) => ({ name: each.name, colour: each.colours[0], score: 0 }));
    [past, future] = [[], []];
    ref += 1;
    const was = game;
    game = {
      id: randomBytes(4).toString("hex"), players, target: data.target ?? 100, turn: data.first ?? 0,
      die: null, board: {}, history: [], over: false,
    };
    past.push({ game: was, verb: "start", cell: null, ref });
    event("started", null, { ref });
    event("turn", player().name, { phase: "roll" });
    last = { type: "started", ref };
  },
  roll({ value }) {
    if (!game || game.over || game.die !== null) throw illegal("no_roll_now");
    if (!Number.isInteger(value) || value < 1 || value > 6) throw illegal("bad_die");
    ref += 1;
    changed("roll", null, { ...game, die: value });
    event("rolled", player().name, { ref, die: value });
    last = { type: "rolled", player: player().name, ref };
  },
  pass() {
    if (!game || game.over || game.die === null) throw illegal("not_rolled");
    const [was, who] = [game, player()];
    ref += 1;
    changed("pass", null, finished({}));
    event("passed", who.name, { ref });
    last = { type: "passed", player: who.name, ref };
    turned(was);
  },
  undo() {
    if (past.length < 2) throw illegal("nothing_to_undo");
    const step = past.pop();
    future.push({ ...step, game });
    back("undone", step);
  },
  redo() {
    if (!future.length) throw illegal("nothing_to_redo");
    const step = future.pop();
    past.push({ ...step, game });
    back("redone", step);
  },
  end() {
    if (!game || game.over) throw illegal("no_game");
    ref += 1;
    changed("end", null, { ...game, over: true });
    event("ended", null, { ref });
    last = { type: "ended", ref };
    const ended = new Date().toISOString();
    results.push({
      game: game.id, kind: "topple", rev, ended: fault === "naive-zone" ? ended.slice(0, -1) : ended,
      players: game.players.map(({ name, score, colour }) => ({ name, score, colours: [colour] })),
      winners: [], over: true, broken_off: true, asked: false, highlights: null,
    });
    say("results", { table, boot, games: results, simulated: false, v: 1 });
  },
};

function back(type, step) {
  const was = game;
  game = step.game;
  const place = told.length;
  event(type, null, { ref: step.ref, verb: step.verb, cell: step.cell, changes: {} });
  told[place].data.changes = scored(was);
  if (was.turn !== game.turn) event("turn", player().name, { phase: game.die === null ? "roll" : "act" });
  last = { type, ref: step.ref, cell: step.cell, changes: told[place].data.changes };
}

const answers = new Map();

function command(verb, payload) {
  let asked;
  try {
    asked = JSON.parse(payload);
    if (typeof asked !== "object" || asked === null) throw new Error("no object");
  } catch {
    return; // nobody can be answered
  }
  const key = `${asked.client} ${asked.id}`;
  let answer = asked.id === undefined ? undefined : answers.get(key);
  if (!answer) {
    answer = obeyed(verb, asked);
    if (asked.id !== undefined) answers.set(key, answer);
  }
  if (asked.client && !(fault === "no-answer" && verb === "redo")) {
    say(`reply/${asked.client}`, { ...answer, now: Date.now() / 1000 }, { retain: false });
  }
}

function obeyed(verb, { id, rev: known, data = {} }) {
  const answer = (more) => {
    if (more.code) refused[more.code] = (refused[more.code] ?? 0) + 1;
    return { ok: !more.code, rev, ...(id === undefined ? {} : { id }), v: 1, ...more };
  };
  if (!VERBS[verb]) return answer({ code: "unknown-verb", msg: `there is no ${verb} here` });
  if (known !== undefined && known !== rev && fault !== "missing-lock") return answer({ code: "stale-rev", msg: "look again" });
  try {
    rev += 1;
    VERBS[verb](data);
    tell();
    return answer({});
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    rev -= 1;
    return answer({ code: problem.code, reason: problem.reason, msg: problem.message });
  }
}

// --- the broker ----------------------------------------------------------------------------------

const topic = `topple/1/${table}`;
client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
  clientId: `foreign-${boot}`, username, password, keepalive: 15, reconnectPeriod: 0,
  will: { topic: `${topic}/availability`, payload: "offline", qos: 1, retain: true },
});
client.on("connect", () => {
  client.subscribe(`${topic}/cmd/+`, { qos: 1 });
  if (newest === null) {
    say("status", status("init"));
    newest = shown();
  }
  birth();
});
client.on("message", (heard, payload, packet) => {
  if (!packet.retain && payload.length) command(heard.split("/").at(-1), payload.toString());
});
client.on("error", (problem) => console.error(problem.message));
setInterval(() => say("health", health(), { qos: 0 }), 10_000);
repeatIn(5000);

// --- the hand ------------------------------------------------------------------------------------

const answered = (more) => console.log(JSON.stringify({ ok: true, ...more }));

createInterface({ input: process.stdin }).on("line", (line) => {
  const asked = JSON.parse(line);
  try {
    if (asked.can) answered({ can: ["place", "clear", "broker"] });
    else if (asked.place) {
      place(asked.place);
      answered({ released_ago_s: 0 });
    } else if (asked.clear) {
      answered({});
    } else if (asked.broker) {
      if (asked.broker === "down") client.stream.destroy();
      else client.reconnect();
      answered({});
    } else answered({ ok: false, why: "this table cannot do that" });
  } catch (problem) {
    answered({ ok: false, why: problem.message });
  }
}).on("close", () => process.exit(0));
