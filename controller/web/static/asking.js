// What the table asks, and the answers it offers, in the language of who looks at it. The table
// asks in English; of the questions it can have, we know the words in every language.

import { knows, language, say } from "./strings.js";

// Who bumped the table is asked beside the game: the points can wait, and play goes on.
export const insists = ({ pending }) => Boolean(pending) && pending.kind !== "blame";

export function questionText(board, asked = board.pending) {
  const { kind, ref, text, options } = asked;
  if (language === "en" || !knows(`ask_${kind}`)) return text;
  const player = asked.player ?? (board.last?.ref === ref ? board.last?.player : null);
  if (kind === "blame") return say(player ? "ask_doubt" : "ask_blame", { player });
  if (kind === "turn") return say("ask_turn", { player: asked.player ?? options[0].value });
  // A turn that went by unseen may have been a pass; a piece placed too early was none.
  const words = options.some((option) => option.value === "pass") ? "ask_unseen" : `ask_${kind}`;
  return player ? say(words, { player }) : say(`${words}_nobody`);
}

export function answerText(option, board, asked = board.pending) {
  if (language === "en") return option.label || option.value;
  if (option.value === "none") return say(`answer_none_${asked.kind}`);
  if (asked.kind === "blame" && board.players.some((player) => player.name === option.value))
    return say("answer_bumped", { player: option.value });
  if (asked.kind === "turn" && option.value !== "unknown") return say("answer_begins", { player: option.value });
  return knows(`answer_${option.value}`) ? say(`answer_${option.value}`) : option.label || option.value;
}
