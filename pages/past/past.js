// All games that a table keeps: form, head to head, records, and a list by months. Who has joined
// by the PIN may delete games; nobody else does, and nothing goes beyond the table.

import { el } from "./dom.js";
import { feat, gameName, medals } from "./evening_words.js";
import { kindsOf, meetingsOf, monthsOf, playersOf, recordsOf, RECORDS } from "./past_facts.js";
import { ask, command } from "./play_api.js";
import { here, knows, language, number, percent, say, sayAll, wins } from "./strings.js";
import { themeButton } from "./theme.js";

const MOST_MET = 8; // players in the table of who beats whom
const id = (name) => document.getElementById(name);
const table = decodeURIComponent(location.pathname.split("/")[2]);
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const month = new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" });
let all = [], kind = "", joined = false, sure = ""; // `sure`: what a second press deletes

sayAll();
themeButton(id("theme"));
document.title = say("past");
id("to-scoreboard").href = here(`/t/${table}`);
id("to-evening").href = here(`/t/${table}/evening`);
load().then(() => { document.body.dataset.ready = ""; });

async function load() {
  const [answer, me] = await Promise.all([fetch(`/t/${table}/past.json`).catch(() => null), ask("me")]);
  joined = Boolean(me?.joined);
  const told = await answer?.json().catch(() => null);
  if (answer?.ok) all = told.games;
  const key = answer?.ok ? "past_none" : `game_${told?.code}`;
  id("none").hidden = all.length > 0;
  id("none").textContent = say(knows(key) ? key : "game_silent");
  draw();
}

function draw() {
  const kinds = kindsOf(all);
  if (!kinds.includes(kind)) kind = kinds.length === 1 ? kinds[0] : "";
  id("kinds").hidden = kinds.length < 2;
  id("kinds").replaceChildren(...["", ...kinds].map((one) => {
    const button = el("button", { type: "button", "aria-pressed": String(one === kind) }, one ? gameName(one) : say("past_every_game"));
    button.addEventListener("click", () => { kind = one; draw(); });
    return button;
  }));
  const games = all.filter((game) => !kind || game.kind === kind), players = playersOf(games);
  id("past").replaceChildren(...(games.length ? [
    players.length ? panel("who", say("evening_players"), scroll("who", playersTable(players))) : null,
    players.length > 1 ? panel("met", say("past_met"), el("p", { class: "quiet" }, say("past_met_how")), scroll("met", meetings(games, players.slice(0, MOST_MET)))) : null,
    records(games), list(games)].filter(Boolean) : []));
}

const panel = (name, title, ...content) => el("section", { class: `panel ${name}`, "aria-labelledby": `${name}-title` }, el("h2", { id: `${name}-title` }, title), ...content);
const scroll = (name, content) => el("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": `${name}-title` }, content);

function playersTable(players) {
  const heads = [say("league_player"), say("league_played"), say("league_wins"), "%", say("past_form"), ...(joined ? [""] : [])];
  const rows = players.map((one) => el("tr", {}, el("th", { scope: "row" }, one.name), el("td", {}, number(one.games)), el("td", {}, number(one.wins)),
    el("td", {}, percent(one.wins / one.games)), el("td", { class: "form" }, ...one.form.map(result)),
    joined ? el("td", {}, remover({ player: one.name }, say("past_forget_player", { player: one.name }))) : null));
  return el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, ...rows));
}

// One of the last games: a full mark is a win; the oldest stands first.
function result({ won, game }) {
  const words = say("pair", { name: day.format(new Date(game.ended)), value: say(won ? "past_won" : "past_not_won") });
  return el("span", { class: won ? "won" : "lost", role: "img", "aria-label": words, title: words });
}

function meetings(games, players) {
  const met = meetingsOf(games), names = players.map(({ name }) => name);
  const cell = (name, other) => {
    const found = met.get(name)?.get(other);
    return el("td", {}, found ? `${number(found.wins)} : ${number(met.get(other).get(name).wins)}` : name === other ? "" : "–");
  };
  return el("table", {}, el("thead", {}, el("tr", {}, el("td", {}), ...names.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...names.map((name) => el("tr", {}, el("th", { scope: "row" }, name), ...names.map((other) => cell(name, other))))));
}

function records(games) {
  const found = recordsOf(games);
  const lines = RECORDS.filter((name) => found[name]).map((name) => {
    const { feat: done, game } = found[name];
    const { title, words } = name === "score" ? { title: say("past_record_score"), words: say("past_record_score_is", { player: done.player, n: done.value }) } : feat(name, done);
    return el("li", {}, el("span", { class: "medal", "aria-hidden": "true" }, medals[name] ?? "✦"),
      el("div", {}, el("b", {}, title), el("span", {}, words), el("a", { href: gamePath(game) }, `${gameName(game.kind)}, ${day.format(new Date(game.ended))}`)));
  });
  return lines.length ? panel("records", say("past_records"), el("ul", { class: "feats" }, ...lines)) : null;
}

function list(games) {
  const months = monthsOf(games).map(([name, ones], at) => el("details", at ? {} : { open: true },
    el("summary", {}, month.format(new Date(`${name}-01T00:00:00Z`)), el("span", { class: "quiet" }, ` ${say("league_games", { n: ones.length })}`)),
    el("ul", {}, ...ones.map(line))));
  return panel("list", say("past_games"), ...months);
}

function line(game) {
  const scores = game.players.map(({ name, score }) => (score === null ? name : `${name} ${number(score)}`)).join(" · ");
  return el("li", {}, el("a", { href: gamePath(game) }, el("b", {}, game.broken_off ? say("evening_broken_off") : wins(game.winners ?? [])),
    el("span", {}, `${gameName(game.kind)} · ${day.format(new Date(game.ended))}`), el("span", {}, scores)),
    joined ? remover({ game: game.game }, say("past_forget")) : null);
}

function gamePath(game) {
  const path = new URL(here(`/t/${table}/game`), location.href);
  path.searchParams.set("id", game.game);
  return path.pathname + path.search;
}

// Deletes with the second press; the first asks.
function remover(what, words) {
  const name = JSON.stringify(what), asks = name === sure;
  const button = el("button", { type: "button", class: asks ? "forget sure" : "forget", "aria-label": asks ? say("pair", { name: words, value: say("past_sure") }) : words, title: words }, asks ? say("past_sure") : "✕");
  button.addEventListener("click", async () => {
    if (!asks) sure = name;
    else {
      sure = "";
      const reply = await command("forget", null, what);
      id("refused").textContent = reply.ok ? "" : say("past_not_forgotten");
      if (reply.ok) return load();
    }
    draw();
    if (!asks) [...document.querySelectorAll(".forget.sure")][0]?.focus();
  });
  return button;
}
