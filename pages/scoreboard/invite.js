// The invitation on the scoreboard: PIN and QR code where the server lets this screen show them
// (the machine's own, or a browser that has joined), else only the way to the phone page. It
// stands large on the machine's own screen before the first game, and folds into the heading
// afterwards: it must not cover a score.

import { el } from "./dom.js";
import { say } from "./strings.js";

const AGAIN_MS = 15_000; // a PIN may change
const base = `${location.pathname.replace(/\/$/, "")}/play`;
const chip = el("button", { type: "button", class: "invite-chip", "aria-expanded": "false", "aria-controls": "invite-card" });
const link = el("a", { class: "invite-chip", href: base }, say("play_here"));
const card = el("aside", { class: "invite-card", id: "invite-card", hidden: true, "aria-label": say("joining") });
let invitation = null, folded = null; // null: by the phase; else as somebody chose

const alone = () => (document.body.dataset.phase ?? "idle") === "idle" && invitation.screen;
const open = () => Boolean(invitation?.pin) && !(folded ?? !alone());

chip.addEventListener("click", () => { folded = open(); draw(); });
new MutationObserver(() => { folded = null; draw(); }).observe(document.body, { attributeFilter: ["data-phase"] });

async function look() {
  try {
    const answer = await fetch(`${base}/invite`, { cache: "no-store" });
    invitation = answer.ok ? await answer.json() : null;
  } catch {
    return; // the page says that the server is gone; a PIN is no worse for it
  }
  draw();
}

function draw() {
  const ways = document.getElementById("ways");
  link.remove();
  chip.remove();
  if (invitation?.phones) ways.append(invitation.pin ? chip : link);
  card.hidden = !open();
  chip.setAttribute("aria-expanded", String(open()));
  const spaced = invitation?.pin ? `${invitation.pin.slice(0, 3)} ${invitation.pin.slice(3)}` : "";
  chip.textContent = say("pin_is", { pin: spaced });
  const key = JSON.stringify(invitation);
  if (!invitation?.pin || card.dataset.key === key) return;
  card.dataset.key = key;
  card.replaceChildren(
    // The address of the picture changes with the PIN, so that no old one is shown.
    el("img", { class: "invite-qr", src: `${base}/invite.svg?${Date.now()}`, alt: say("qr_alt") }),
    el("div", {}, el("h2", {}, say("joining")), el("p", {}, invitation.url), el("p", { class: "invite-pin" }, spaced),
      invitation.reachable ? "" : el("p", { class: "invite-note" }, say("not_reachable")),
      invitation.screen ? renewal() : ""));
}

function renewal() {
  const button = el("button", { type: "button", class: "invite-renew" }, say("pin_new"));
  button.addEventListener("click", async () => {
    await fetch(`${base}/renew`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    look();
  });
  return button;
}

document.body.append(card);
look();
setInterval(look, AGAIN_MS);
