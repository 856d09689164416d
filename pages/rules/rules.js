// The rules of all games in short, each with a picture that the game brings along.

import { el } from "./dom.js";
import { gameName } from "./game_names.js";
import { RULES } from "./games/rules.js";
import { knows, say, sayAll } from "./strings.js";
import { themeButton } from "./theme.js";

const PARTS = ["turn", "points", "not"];

sayAll();
themeButton(null);
document.title = say("rules");
document.getElementById("games").replaceChildren(...Object.keys(RULES).map((kind) => el("a", { href: `#${kind}` }, gameName(kind))));
document.getElementById("rules").replaceChildren(...Object.entries(RULES).map(([kind, { picture }]) =>
  el("section", { class: "panel", id: kind }, el("h2", {}, gameName(kind)), picture(), el("p", {}, say(`rules_${kind}_aim`)),
    ...PARTS.flatMap((part) => [el("h3", {}, say(`rules_${part}`)), el(part === "turn" ? "ol" : "ul", {}, ...lines(`rules_${kind}_${part}`))]))));
function lines(key) {
  const found = [];
  for (let n = 1; knows(`${key}_${n}`); n += 1) found.push(el("li", {}, say(`${key}_${n}`)));
  return found;
}

// The games come after the address was read.
document.getElementById(location.hash.slice(1))?.scrollIntoView();
document.body.dataset.ready = "";
