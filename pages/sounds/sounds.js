// The page of all that is heard in this browser: who calls, and sounds in the place of the tones.

import { callers, chooseCaller, chosenCaller, OWN_VOICE, packInUse, partsOf } from "./caller.js";
import { call, inWords } from "./commentary.js";
import { el } from "./dom.js";
import { playNow } from "./sound.js";
import { NAMES, forgetSounds, keepSounds, pack } from "./sound_pack.js";
import { here, language, say, sayAll } from "./strings.js";
import { themeButton } from "./theme.js";
import { hasVoice, Voice } from "./voice.js";

const id = (name) => document.getElementById(name);
sayAll();
themeButton(null);
document.title = say("sounds");
id("to-tables").href = here("/");
id("files").addEventListener("change", () => take(id("files").files));
id("drop").addEventListener("dragover", (event) => { event.preventDefault(); id("drop").classList.add("over"); });
id("drop").addEventListener("dragleave", () => id("drop").classList.remove("over"));
id("drop").addEventListener("drop", (event) => {
  event.preventDefault();
  id("drop").classList.remove("over");
  take(event.dataTransfer.files);
});
id("forget").addEventListener("click", async () => {
  await forgetSounds();
  await draw();
  id("said").textContent = say("sounds_forgotten");
});
draw();
drawCallers();
globalThis.speechSynthesis?.addEventListener("voiceschanged", drawCallers);

// --- the caller ---------------------------------------------------------------------------------

const voice = new Voice();

async function drawCallers() {
  const { packs, refused, names } = await callers();
  const bySelf = packInUse(""), own = say(hasVoice() ? "caller_voice" : "caller_no_voice");
  const choices = [
    ["", say("caller_auto", { name: bySelf?.name ?? say("caller_voice") })],
    [OWN_VOICE, own],
    ...[...packs].sort((one, other) => (other.language === language) - (one.language === language))
      .map((pack) => [pack.id, pack.own ? say("caller_own", pack) : pack.name]),
  ];
  id("callers").replaceChildren(...choices.map(([value, text]) => el("option", { value, selected: value === chosenCaller() }, text)));
  id("callers").onchange = () => { chooseCaller(id("callers").value); about(names); };
  id("listen").onclick = () => { voice.hush(); voice.say({ parts: sample(), important: true }); };
  id("refused").replaceChildren(...refused.map((one) => el("li", {}, say(`caller_refused_${one.code}`, one))));
  about(names);
  document.body.dataset.callers = "";
}

// What is known of the pack that is in use now: whose it is, and what it says and does not say.
function about(everywhere) {
  const pack = packInUse();
  id("about-caller").replaceChildren();
  if (!pack) return;
  const names = [...new Set([...Object.keys(everywhere), ...Object.keys(pack.names)])];
  const lines = [
    el("b", { class: "licence" }, say("caller_licence", pack)),
    pack.about ? el("span", { lang: pack.language }, pack.about) : null,
    names.length ? say("caller_names", { names }) : say("caller_no_names"),
    pack.missing.length ? say("caller_missing", { n: pack.missing.length, names: pack.missing }) : null,
  ];
  id("about-caller").append(...lines.filter(Boolean).map((line) => el("p", {}, line)));
}

// A moment of a game of two.
function sample() {
  const board = { seq: 0, players: [{ name: "Ann", colours: ["red"] }, { name: "Bob", colours: ["blue"] }] };
  const calls = [call("gains", { player: "Ann", n: 7, score: 96 }), call("way_complete"), call("needs", { player: "Bob", n: 4 })];
  return partsOf(calls, calls.map((one) => inWords(one, board)), board);
}

// --- sounds in the place of the tones -----------------------------------------------------------

async function take(files) {
  try {
    const { kept, refused } = await keepSounds([...files]);
    const words = [kept.length ? say("sounds_kept", { names: kept }) : "", refused.length ? say("sounds_refused", { names: refused }) : ""];
    await draw();
    id("said").textContent = words.filter(Boolean).join(" ");
  } catch {
    id("said").textContent = say("sounds_full");
  }
}

async function draw() {
  const own = await pack();
  id("names").replaceChildren(...NAMES.map((name) => {
    const button = el("button", { type: "button", "aria-label": say("pair", { name: say("sounds_play"), value: name }) }, say("sounds_play"));
    button.addEventListener("click", () => playNow(name));
    return el("li", { "data-own": String(own.has(name)) }, el("b", {}, name), el("span", {}, say(`sounds_${name}`)), own.has(name) ? el("em", {}, say("sounds_own")) : null, button);
  }));
  id("forget").hidden = own.size === 0;
  document.body.dataset.ready = "";
}
