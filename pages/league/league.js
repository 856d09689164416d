// The league: a table for each kind of game, asked for anew now and then.

import { el } from "./dom.js";
import { gameName } from "./game_names.js";
import { GAMES } from "./games/facts.js";
import { here, number, say, sayAll } from "./strings.js";
import { themeButton } from "./theme.js";

const EVERY_MS = 15_000;
const SHOWN = 50; // in the hall nobody reads further down

const place = document.getElementById("standings");
const top = document.getElementById("notices");
const remarks = document.getElementById("remarks");
sayAll();
themeButton(null);
document.title = say("league");
document.getElementById("to-tables").href = here("/");
update();

async function update() {
  try {
    const answer = await fetch("/league.json");
    if (!answer.ok) throw new Error(answer.statusText);
    draw(await answer.json());
    top.replaceChildren();
  } catch {
    // What was shown stays; it is only old.
    top.replaceChildren(el("span", { class: "notice" }, say("league_away")));
  }
  document.body.dataset.ready = "";
  setTimeout(update, EVERY_MS);
}

function draw(league) {
  const tables = league.standings.map(panel);
  place.replaceChildren(...(tables.length ? tables : [el("p", { class: "empty" }, say("league_none"))]));
  const counted = ["asked", "broken_off", "simulated"].filter((what) => league[what]);
  const unsettled = league.standings.some((one) => one.lines.some((line) => !line.settled));
  remarks.replaceChildren(
    ...(unsettled ? [el("p", {}, say("league_unsettled"))] : []),
    ...counted.map((what) => el("p", {}, say(`league_${what}`, { n: league[what] }))));
}

const COLUMNS = [
  ["played", (line) => number(line.games)],
  ["wins", (line) => number(line.wins)],
  ["points", (line) => (line.points === null ? "" : number(line.points))],
  ["average", (line) => (line.average === null ? "" : number(line.average, 1))],
  ["rating", (line) => number(line.rating) + (line.settled ? "" : "?")],
  ["form", (line) => line.form.map(result)],
];

function panel(one) {
  const title = one.kind in GAMES ? gameName(one.kind) : one.title;
  const about = `${say("league_games", { n: one.games })} ${say("league_tables", { n: one.tables })}`;
  const head = el("tr", {}, el("td", {}), el("th", { class: "name", scope: "col" }, say("league_player")),
    ...COLUMNS.map(([name]) => el("th", { scope: "col", class: name }, say(`league_${name}`))));
  const id = `kind-${one.kind}`;
  return el("section", { class: "panel", "aria-labelledby": id },
    el("h2", { id }, title),
    el("p", { class: "quiet" }, about),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": id },
      el("table", {}, el("thead", {}, head), el("tbody", {}, ...one.lines.slice(0, SHOWN).map(row)))), ...meetings(one));
}

function row(line) {
  return el("tr", { class: line.place === 1 ? "first" : false }, el("td", {}, `${number(line.place)}.`),
    el("th", { class: "name", scope: "row" }, line.name),
    ...COLUMNS.map(([name, cell]) => el("td", { class: name }, ...[cell(line)].flat())));
}

// One of the last games: a full mark is a win; the oldest stands first.
const result = (won) => el("span", { class: won ? "won" : "lost", role: "img", "aria-label": say(won ? "past_won" : "past_not_won") });

// Who beats whom, of the first players.
function meetings(one) {
  const names = one.lines.slice(0, one.met.length).map(({ name }) => name);
  if (names.length < 3) return [];
  const cell = (row, column) => (row === column ? "" : one.met[row][column] === null ? "–" : `${number(one.met[row][column])} : ${number(one.met[column][row])}`);
  return [el("h3", {}, say("past_met")), el("p", { class: "quiet" }, say("past_met_how")),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": say("pair", { name: say("past_met"), value: one.title }) },
      el("table", { class: "met" }, el("thead", {}, el("tr", {}, el("td", {}), ...names.map((name) => el("th", { scope: "col", class: "other" }, name)))),
        el("tbody", {}, ...names.map((name, row) => el("tr", {}, el("th", { class: "name", scope: "row" }, name), ...names.map((_, column) => el("td", {}, cell(row, column))))))))];
}
