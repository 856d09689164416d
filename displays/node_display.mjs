// The score in a terminal, with mqtt.js.
//
// npm install mqtt
// node node_display.mjs
import { randomBytes } from "node:crypto";
import mqtt from "mqtt";

const HOST = "table.local";
const PORT = 1883;
const USER = "display";
const PASSWORD = "secret";
const TABLE = "t1";

const topic = `topple/1/${TABLE}`;
const clientId = `node-${randomBytes(4).toString("hex")}`;
let state = null;
let online = true;
let shown = "";

function line() {
  if (!state?.players.length) return "waiting for a game";
  const parts = state.players.map((player) => `${player.mark} ${player.name} ${player.score}`);
  if (state.winners.length) parts.push(`won: ${state.winners.join(", ")}`);
  else if (state.turn) parts.push(`next: ${state.turn.player}`);
  if (!client.connected) parts.push("(no connection)");
  else if (!online) parts.push("(the table is off)");
  return parts.join("   ");
}

function show() {
  if (line() !== shown) console.log((shown = line()));
}

function accept(said) {
  const sameGame = state && said.boot === state.boot && said.game === state.game;
  if (!sameGame || said.rev >= state.rev) state = said;
}

const client = mqtt.connect(`mqtt://${HOST}:${PORT}`, {
  clientId,
  username: USER,
  password: PASSWORD,
  keepalive: 15,
  will: { topic: `${topic}/client/${clientId}`, payload: "", qos: 1, retain: true },
});
client.on("connect", () => {
  client.publish(`${topic}/client/${clientId}`, '{"role":"display","name":"node"}', { qos: 1, retain: true });
  client.subscribe([`${topic}/availability`, `${topic}/state`], { qos: 1 });
});
client.on("message", (heard, payload) => {
  if (heard.endsWith("/availability")) online = payload.toString() === "online";
  else if (payload.length) accept(JSON.parse(payload));
  show();
});
client.on("close", show);
client.on("error", (error) => console.error(error.message));
