// The rules of all games in short, each with a picture; every game brings its own.

import { el } from "./dom.js";
import { gameName } from "./game_names.js";
import { RULES } from "./games/rules.js";
import { language, say, sayAll } from "./strings.js";
import { themeButton } from "./theme.js";

const PARTS = ["turn", "points", "not"];

sayAll();
themeButton(null);
document.title = say("rules");
document.getElementById("games").replaceChildren(...Object.keys(RULES).map((kind) => el("a", { href: `#${kind}` }, gameName(kind))));
document.getElementById("rules").replaceChildren(...Object.entries(RULES).map(([kind, { words, picture }]) => {
  const told = words[language] ?? words.en;
  return el("section", { class: "panel", id: kind }, el("h2", {}, gameName(kind)), picture(), el("p", {}, told.aim),
    ...PARTS.flatMap((part) => [el("h3", {}, say(`rules_${part}`)), el(part === "turn" ? "ol" : "ul", {}, ...told[part].map((line) => el("li", {}, line)))]));
}));
// The games come after the address was read.
document.getElementById(location.hash.slice(1))?.scrollIntoView();
document.body.dataset.ready = "";
