// What is to be said beside the score: never instead of it.

import { el } from "./dom.js";
import { say, tongueOf, worded } from "./strings.js";

// Which troubles of the table a notice explains itself by; of one that is gone only why it went.
const EXPLAINED = { degraded: () => true, offline: ({ code }) => code === "journal_stopped" };
const GRAVE = ["page", "no_broker", "unknown", "offline", "stale"];
const MOST_TROUBLES = 3; // that leave the score its room; the health page has all

// Shows the notices; returns whether the score beside them may be old.
export function notices(place, codes, detail = "", troubles = []) {
  const grave = codes.filter((code) => GRAVE.includes(code));
  const key = codes.join(" ") + detail + troubles.map(({ reason }) => reason);
  if (place.dataset.key !== key) {
    place.dataset.key = key;
    place.replaceChildren(...codes.map((code) => chip(code, detail, troubles.filter(EXPLAINED[code] ?? (() => false)))));
  }
  return grave.length > 0;
}

// The same on a page that is no scoreboard, which says nothing else; `view` is null without the server.
export function outdated(place, view) {
  return notices(place, view ? view.notices.filter((code) => GRAVE.includes(code)) : ["page"], view?.broker);
}

function chip(code, detail, troubles) {
  const title = code === "no_broker" ? detail : false, n = troubles.length;
  if (n > 1) return el("div", { class: `notice ${code} many` }, say(`notice_${code}_many`, { n }), list(troubles));
  return el("span", { class: `notice ${code}`, title }, say(`notice_${code}`), ...troubles.map(why));
}

function why(trouble) {
  return el("span", { class: "why", lang: tongueOf(trouble) }, ` ${worded(trouble)}`);
}

// The most urgent come first.
function list(troubles) {
  const more = troubles.length - MOST_TROUBLES;
  return el("ul", {}, ...troubles.slice(0, MOST_TROUBLES).map((trouble) => el("li", {}, why(trouble))),
    more > 0 && el("li", {}, el("span", { class: "why" }, say("notice_more", { n: more }))));
}
