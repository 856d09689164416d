// The big moments: pieces may be falling, topple, board to be cleared, game over. They lie over the tower, never over
// the scores.

import { called, insists } from "./asking.js";
import { paint } from "./colours.js";
import { calm, el, svg } from "./dom.js";
import { say, wins } from "./strings.js";

// A table of which nothing has been heard: what to look at, instead of a bare tower.
export const showUnheard = (place) => showScene(place, { kind: "idle", words: say("notice_unknown"), more: [say("unheard_how")] });

// `fallen`: pieces fell and the board was cleared in one, so that its phase does not tell.
export function showMoment(place, board, { going = false, fallen = false } = {}) {
  const scene = going ? { kind: "going", words: say("going"), more: [] } : fallen ? { kind: "toppled", words: say("topple"), more: [] } : sceneOf(board);
  if (showScene(place, scene) && scene?.kind === "over" && board.winners.length && !calm()) place.append(confetti(board));
}

// Whether it is another one than before.
function showScene(place, scene) {
  const key = scene ? JSON.stringify([scene.kind, scene.words, scene.more]) : "";
  if (place.dataset.key === key) return false;
  place.dataset.key = key;
  place.hidden = !scene;
  place.className = `moment ${scene?.kind ?? ""}`;
  place.replaceChildren(...(scene ? [el("p", { class: "big" }, scene.words), el("p", { class: "more" }, scene.more.filter(Boolean).join(". "))] : []));
  fit(place);
  return true;
}

const HIGHEST = 0.26; // of the stage; the tower has the rest

// Words of any length, in any language: as large as there is room for.
function fit(place) {
  const big = place.querySelector(".big");
  if (!big) return;
  big.style.fontSize = "";
  const fullSize = parseFloat(getComputedStyle(big).fontSize);
  for (let size = fullSize; size > fullSize / 6; size *= 0.92) {
    big.style.fontSize = `${size}px`;
    if (big.scrollWidth <= big.clientWidth && big.offsetHeight <= place.clientHeight * HIGHEST) return;
  }
}

addEventListener("resize", () => document.querySelectorAll(".moment").forEach(fit));

function sceneOf(board) {
  // A board that is not cleared stays in sight; the line at the bottom says who won.
  if (board.phase === "over" && !called(board)) return null;
  if (board.phase === "over") return { kind: "over", words: board.view ? "" : wins(board.winners), more: [] };
  if (board.phase === "clear") {
    const toppled = board.last?.type === "toppled";
    return {
      kind: toppled ? "toppled" : "clear",
      words: toppled ? say("topple") : insists(board) ? say("phase_clear") : say("round_over", board),
      more: [insists(board) ? "" : say("phase_clear")],
    };
  }
  if (board.phase === "idle") return { kind: "idle", words: say("game_none"), more: [say("phase_idle")] };
  return null;
}

function confetti(board) {
  const colours = board.players.filter((player) => board.winners.includes(player.name)).flatMap((player) => player.colours.map(paint));
  const rain = svg("svg", { class: "confetti", viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" });
  for (let i = 0; i < 60; i++) {
    const bit = svg("rect", { x: Math.random() * 100, y: -6, width: 1.4, height: 2.2, fill: [...colours, "#fff", "#E69F00"][i % (colours.length + 2)] });
    rain.append(bit);
    bit.animate(
      [{ translate: "0 0", rotate: "0deg" }, { translate: `${Math.random() * 20 - 10}px 112px`, rotate: `${Math.random() * 900}deg` }],
      { duration: 2600 + Math.random() * 2600, delay: Math.random() * 1800, iterations: 4, easing: "linear", fill: "backwards" });
  }
  return rain;
}
