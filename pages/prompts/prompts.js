// The page on which a phone is told what to do: looks at the present prompt, sends what is pressed.

const EVERY_MS = 400;
const WORDS = {
  gone: "The computer at the table does not answer. Has it ended, or is the network gone?",
  seen: "Seen:",
  watching: "To press here, open the whole address that stands on the terminal, with its end after #.",
};

const at = (id) => document.getElementById(id);
const key = location.hash.slice(1);
let now = { number: -1 };
let sound = null; // a browser plays nothing before its page was touched

function text(id, words) {
  if (at(id).textContent !== words) at(id).textContent = words;
}

document.addEventListener("pointerdown", () => {
  sound ??= new AudioContext();
});

// Something was noted: whoever looks at the table hears it.
function tone() {
  if (!sound) return;
  const [note, loudness] = [sound.createOscillator(), sound.createGain()];
  note.frequency.value = 880;
  loudness.gain.value = 0.2;
  note.connect(loudness).connect(sound.destination);
  note.start();
  note.stop(sound.currentTime + 0.15);
}

function showButtons(prompt) {
  const made = prompt.buttons.map((button) => {
    const element = document.createElement("button");
    element.textContent = button.label;
    element.className = button.sure && "sure";
    element.disabled = !key;
    element.addEventListener("click", () => press(button));
    return element;
  });
  at("buttons").replaceChildren(...made);
}

function disable(disabled) {
  for (const button of at("buttons").children) button.disabled = disabled || !key;
}

function showFigures(rows) {
  at("figures").hidden = rows.length === 0;
  at("figures").replaceChildren(...rows.map((columns) => {
    const row = document.createElement("tr");
    for (const words of columns) row.insertCell().textContent = words;
    row.lastChild.className = columns.at(-1);
    return row;
  }));
}

function show(prompt) {
  if (prompt.number !== now.number) {
    showButtons(prompt);
    showFigures(prompt.figures);
    if (now.number < 0 && !key) text("trouble", WORDS.watching);
    if (prompt.last) text("trouble", "");
  }
  if (prompt.seen && prompt.seen !== now.seen) tone();
  now = prompt;
  document.querySelector("main").className = prompt.last ? "last" : "";
  text("progress", prompt.progress);
  text("words", prompt.words);
  text("noticed", prompt.noticed);
  text("seen", prompt.seen && `${WORDS.seen} ${prompt.seen}`);
  for (const id of ["words", "noticed"]) at(id).dataset.tone = prompt.tone;
  at("share").hidden = prompt.share === null;
  at("share").value = prompt.share ?? 0;
}

async function look() {
  try {
    const before = now;
    show(await (await fetch("/prompt")).json());
    if (before.lost) {
      text("trouble", "");
      disable(false);
    }
    if (now.last) return;
  } catch {
    now.lost = true;
    text("trouble", WORDS.gone);
    disable(true);
  }
  setTimeout(look, EVERY_MS);
}

async function press(button) {
  if (button.sure && !confirm(button.sure)) return;
  const number = now.number;
  disable(true);
  try {
    const answer = await fetch("/press", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key, number, button: button.name }),
    });
    const { ok, msg } = await answer.json();
    text("trouble", ok ? "" : `${msg[0].toUpperCase()}${msg.slice(1)}.`);
    if (!ok) disable(false);
  } catch {
    text("trouble", WORDS.gone);
    disable(false);
  }
}

look();
