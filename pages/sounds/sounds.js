// The page where sounds of one's own are put in the place of the tones, for this browser.

import { el } from "./dom.js";
import { playNow } from "./sound.js";
import { NAMES, forgetSounds, keepSounds, pack } from "./sound_pack.js";
import { here, say, sayAll } from "./strings.js";
import { themeButton } from "./theme.js";

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
    const button = el("button", { type: "button", "aria-label": `${say("sounds_play")}: ${name}` }, say("sounds_play"));
    button.addEventListener("click", () => playNow(name));
    return el("li", { "data-own": String(own.has(name)) }, el("b", {}, name), el("span", {}, say(`sounds_${name}`)), own.has(name) ? el("em", {}, say("sounds_own")) : null, button);
  }));
  id("forget").hidden = own.size === 0;
  document.body.dataset.ready = "";
}
