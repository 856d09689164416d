// The players who stay: their colour, record and achievements, for those at the table.

import { paint } from "./colours.js";
import { el } from "./dom.js";
import { percent, say } from "./strings.js";

export async function showProfiles(place, table) {
  const answer = await fetch(`/t/${table}/play/profiles`).catch(() => null);
  const profiles = answer?.ok ? (await answer.json()).profiles : [];
  place.hidden = !profiles.length;
  place.replaceChildren(el("h2", { id: "staying-title" }, say("profiles")), el("ul", {}, ...profiles.map(profile)));
}

function profile(one) {
  const most = [one.highest ? say("profile_highest", { n: one.highest }) : "", one.best ? say("profile_best", { n: one.best }) : "",
    one.boldest ? say("profile_boldest", { n: percent(one.boldest) }) : ""].filter(Boolean).join(" · ");
  return el("li", { style: { "--colour": paint(one.colour ?? one.name) } }, el("h3", {}, one.name),
    el("p", {}, `${say("league_games", { n: one.games })} · ${say("profile_wins", { n: one.wins })} · ${say("profile_topples", { n: one.topples })}`),
    most ? el("p", { class: "quiet" }, most) : null,
    one.achievements.length ? el("p", { class: "achievements" }, ...one.achievements.map((name) => el("span", {}, `★ ${say(`achieved_${name}`)}`))) : null);
}
