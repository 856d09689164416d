// The evening: its games with their curves and feats, who did what, and a picture to take home.

import { mark, seatPaint } from "./colours.js";
import { el, svg } from "./dom.js";
import { download } from "./download.js";
import { FEATS, bestOf, gamesOf, playersOf } from "./evening_facts.js";
import { drawPicture } from "./evening_picture.js";
import { feat, gameName, medals, standing } from "./evening_words.js";
import { showProfiles } from "./evening_profiles.js";
import { follow } from "./feed.js";
import { scoreGraph } from "./history.js";
import { inFile, kept } from "./kept.js";
import { outdated } from "./notices.js";
import { here, language, number, say, sayAll, wins } from "./strings.js";
import { themeButton } from "./theme.js";

const MARKS = "●▲■◆", GRAPH = { width: 640, height: 260 };
const id = (name) => document.getElementById(name);
const table = kept?.table ?? decodeURIComponent(location.pathname.split("/")[2]);
let games = [], asks = false, chosen = null, asked = ""; // the game looked at; null: that of the evening

sayAll();
themeButton(null);
document.title = say("evening");
id("to-tables").href = here("/");
id("to-past").href = here(`/t/${table}/past`);
id("to-scoreboard").href = here(`/t/${table}`);
id("to-scoreboard").hidden = id("to-tables").hidden = Boolean(kept);
id("share").append(...sharing());
look();

if (!kept) follow(`/t/${table}/stream`, (view) => {
  if (view !== undefined) id("now").classList.toggle("old", outdated(id("notices"), view));
  if (!view?.board) return;
  const { board } = view, playing = !["idle", "over"].includes(board.phase);
  showNow(playing ? board : null);
  // A result changes with the end of a game and with what is corrected after it.
  const about = playing ? board.game : `${board.game} ${board.rev}`;
  if (about !== asked) look();
  asked = about;
});

async function look() {
  const [answer, me] = await Promise.all(["evening.json", "play/me"].map((what) => (kept ? null : fetch(`/t/${table}/${what}`).catch(() => null))));
  // A machine that only shows tables cannot ask them for the moves of a game.
  asks = me?.ok ? (await me.json()).phones : false;
  id("to-past").hidden = !asks;
  if (kept) games = gamesOf(kept);
  else if (answer?.ok) games = gamesOf(await answer.json());
  draw();
  if (!kept) await showProfiles(id("staying"), table);
  document.body.dataset.ready = "";
}

function draw() {
  const best = bestOf(games), game = games.find((one) => one.game === chosen) ?? best?.game ?? games.at(-1);
  id("games").hidden = games.length < 2;
  id("games").replaceChildren(...games.map((one, at) => tab(one, at, { current: one === game, best: one === best?.game })));
  id("game").replaceChildren(...(game ? told(game, best) : [el("h2", { id: "game-title" }, say("evening_none")), el("p", { class: "quiet" }, say("evening_none_yet"))]));
  id("share").hidden = !game;
  id("keep-evening").hidden = !asks;
  id("players").hidden = !best;
  if (!game) return;
  id("players").replaceChildren(...people());
  stackWide();
  drawPicture(id("picture"), game);
  id("picture").setAttribute("aria-label", say("evening_picture_of", { game: gameName(game.kind), winners: game.broken_off ? say("evening_broken_off") : wins(game.winners) }));
}

const joined = (names) => new Intl.ListFormat(language).format(names);
const clock = (game) => new Date(game.ended).toLocaleTimeString(language, { timeStyle: "short" });

// One game: its number and time, and who won it.
function tab(game, at, { current, best }) {
  const ended = game.broken_off ? say("evening_broken_off") : game.winners.length ? joined(game.winners) : say("wins_nobody");
  const button = el("button", { type: "button", "aria-pressed": String(current), class: game.broken_off ? "broken-off" : false },
    `${best && games.length > 1 ? "★ " : ""}${number(at + 1)} · ${clock(game)}`, el("b", { class: "won" }, ended));
  button.addEventListener("click", () => { chosen = game.game; draw(); });
  return button;
}

// A running game, with its curve so far.
function showNow(board) {
  const rows = board?.history ?? [];
  id("now").hidden = rows.length < 2;
  if (id("now").hidden) return;
  id("now").replaceChildren(el("h2", { id: "now-title" }, say("pair", { name: say("evening_now"), value: gameName(board.kind) })),
    graph(board.players, rows), scores(board.players.map((player, seat) => ({ player, seat, score: number(player.score ?? 0) }))));
}

function told(game, best) {
  const { highlights } = game, players = game.players.map((player, seat) => ({ ...player, mark: MARKS[seat % MARKS.length] }));
  const feats = FEATS.filter((name) => highlights?.[name]).map((name) => {
    const { title, words } = feat(name, highlights[name]);
    return el("li", {}, el("span", { class: "medal", "aria-hidden": "true" }, medals[name]), el("div", {}, el("b", {}, title), el("span", {}, words)));
  });
  const fallen = highlights?.topples?.length ?? 0;
  return [
    el("p", { class: "quiet" }, `${gameName(game.kind)} · ${clock(game)}`),
    el("h2", { id: "game-title" }, game.broken_off ? say("evening_broken_off") : wins(game.winners)),
    game === best?.game && games.length > 1 && best.changes ? el("p", { class: "best" }, `★ ${say("evening_best", { n: best.changes })}`) : null,
    highlights?.scores?.length > 1 ? graph(players, highlights.scores) : null,
    scores(standing(game)),
    feats.length ? el("ul", { class: "feats" }, ...feats) : null,
    highlights && fallen ? el("p", { class: "quiet" }, say("evening_topples", { n: fallen })) : null,
    game.asked ? el("p", { class: "quiet" }, say("not_final")) : null,
    kept?.each[game.game] ? el("p", { class: "choices" }, el("a", { class: "button", id: "to-game", href: inFile(game.game) }, say("game_open"))) : null,
    asks ? el("p", { class: "choices" }, el("a", { class: "button", id: "to-game", href: gamePath(game, "game") }, say("game_open")),
      el("a", { class: "button second", id: "keep", href: gamePath(game, "game.html"), download: true }, say("game_keep"))) : null,
  ].filter(Boolean);
}

function gamePath(game, what) {
  const path = new URL(here(`/t/${table}/${what}`), location.href);
  path.searchParams.set("id", game.game);
  return path.pathname + path.search;
}

const graph = (players, rows) => el("div", { class: "history" }, scoreGraph(players, rows, GRAPH));

const scores = (lines) => el("ul", { class: "standing" }, ...lines.map(({ player, seat, score }) =>
  el("li", { style: { "--colour": seatPaint({ colours: [], ...player }, seat) } },
    svg("svg", { class: "badge", viewBox: "-13 -13 26 26", "aria-hidden": "true" }, mark(MARKS[seat % MARKS.length])), el("span", {}, player.name), el("b", {}, score))));

function stackWide() {
  const scroll = id("players").querySelector(".scroll");
  scroll?.classList.remove("stacked");
  scroll?.classList.toggle("stacked", scroll.scrollWidth > scroll.clientWidth);
}
addEventListener("resize", stackWide);

function people() {
  const lines = playersOf(games), kinds = [...new Set(lines.flatMap((one) => Object.keys(one.points)))];
  const pointsIn = (kind) => (kinds.length > 1 ? say("evening_points_in", { game: gameName(kind) }) : say("league_points"));
  const heads = [say("league_player"), say("league_played"), say("league_wins"), say("evening_fell"), ...kinds.map(pointsIn)];
  const rows = lines.map((one) => {
    const values = [one.games, one.wins, one.topples, ...kinds.map((kind) => one.points[kind])];
    return el("tr", {}, el("th", { scope: "row" }, one.name), ...values.map((value, at) => el("td", { "data-head": heads[at + 1] }, value === undefined ? "" : number(value))));
  });
  const known = lines.flatMap((one) => [
    ...one.feats.map((name) => el("li", {}, `${medals[name]} ${say(`title_${name}`, { player: one.name })}`)),
    one.nemesis ? el("li", {}, say("evening_nemesis", { player: one.name, nemesis: one.nemesis.name, n: one.nemesis.n })) : null]);
  return [el("h2", { id: "players-title" }, say("evening_players")),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": "players-title" },
      el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, ...rows))),
    el("ul", { class: "titles" }, ...known.filter(Boolean))];
}

function sharing() {
  const canvas = el("canvas", { id: "picture", role: "img" });
  const save = el("button", { type: "button", class: "button", name: "save" }, say("film_picture"));
  const share = el("button", { type: "button", class: "button", name: "share" }, say("evening_share"));
  const whole = el("a", { class: "button second", id: "keep-evening", href: `/t/${table}/evening.html`, download: true, hidden: true }, say("evening_keep"));
  const picture = (then) => canvas.toBlob((blob) => then(blob, `topple-${table}.png`));
  save.addEventListener("click", () => picture(download));
  share.addEventListener("click", () => picture((blob, name) =>
    navigator.share({ files: [new File([blob], name, { type: blob.type })] }).catch(() => {}))); // who thinks better of it
  const can = navigator.canShare?.({ files: [new File([], "a.png", { type: "image/png" })] });
  return [el("h2", { id: "share-title" }, say("evening_take_home")), canvas,
    el("div", { class: "home" }, el("p", { class: "choices" }, ...[save, can ? share : null, whole].filter(Boolean)),
      kept ? null : el("figure", {}, el("img", { src: `/t/${table}/evening.svg`, alt: say("evening_qr") }), el("figcaption", { class: "quiet" }, say("evening_qr"))))];
}
