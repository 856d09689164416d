// What is to be said beside the score: never instead of it.

import { el } from "./dom.js";
import { say, tongueOf, worded } from "./strings.js";

const EXPLAINED = { degraded: () => true, offline: ({ code }) => code === "journal_stopped" };
const GRAVE = ["page", "no_broker", "unknown", "offline", "stale"];

// Shows the notices; returns whether the score beside them may be old.
export function notices(place, codes, detail = "", troubles = []) {
  const grave = codes.filter((code) => GRAVE.includes(code));
  const chips = codes.map((code) => el("span", { class: `notice ${code}`, title: code === "no_broker" ? detail : false },
    say(`notice_${code}`), troubles.length && EXPLAINED[code]?.(troubles[0]) ? el("span", { class: "why", lang: tongueOf(troubles[0]) }, ` ${worded(troubles[0])}`) : null));
  const key = codes.join(" ") + detail + troubles.map(({ reason }) => reason);
  if (place.dataset.key !== key) {
    place.dataset.key = key;
    place.replaceChildren(...chips);
  }
  return grave.length > 0;
}
