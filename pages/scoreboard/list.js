// The list of tables: one card each, the score at a glance.

import { mark, paint } from "./colours.js";
import { el, svg } from "./dom.js";
import { follow } from "./feed.js";
import { gameName } from "./game_names.js";
import { notices } from "./notices.js";
import { here, number, say, sayAll } from "./strings.js";
import { themeButton } from "./theme.js";

const place = document.getElementById("tables");
const top = document.getElementById("notices");
const links = document.getElementById("links");
sayAll();
themeButton(null);

follow("/stream", (list) => {
  if (list === undefined) return;
  if (list === null) return notices(top, ["page"]);
  notices(top, list.up ? [] : ["no_broker"], list.broker);
  links.replaceChildren(...[
    list.tables.length > 1 ? el("a", { href: here("/side-by-side") }, say("side_by_side")) : null,
    el("a", { href: here("/rules") }, say("rules")),
    el("a", { href: here("/sounds") }, say("sounds")),
    list.league ? el("a", { href: here("/league") }, say("league")) : null,
  ].filter(Boolean));
  place.replaceChildren(...(list.tables.length ? list.tables.map(card) : [empty(list)]));
});

function card(table) {
  const about = el("p", { class: "notices" });
  notices(about, table.notices.filter((notice) => notice !== "no_broker"));
  return el("a", { class: "table-card", href: here(`/t/${table.table}`) },
    el("h2", {}, say("table", table)),
    el("p", { class: "game" }, table.kind ? `${gameName(table.kind)} · ${say("round", table)}` : say("game_none")),
    el("ul", {}, ...table.players.map((player) => row(player, table))),
    about);
}

function row([name, score, colours, shape], table) {
  const now = table.turn === name && table.phase !== "over";
  return el("li", { class: now ? "now" : table.winners.includes(name) ? "won" : "" },
    svg("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true", style: { color: paint(colours[0]) } }, mark(shape)),
    el("span", { class: "name", dir: "auto" }, name),
    el("span", { class: "score" }, score === null ? say("score_unknown") : number(score)));
}

function empty(list) {
  return el("p", { class: "empty" }, say("tables_none"), el("br"), el("small", {}, list.up ? say("tables_wait") : list.broker));
}
