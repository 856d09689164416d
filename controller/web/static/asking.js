// What the table asks, and the answers it offers, in the language of who looks at it. The table
// asks in English; of the questions it can have, we know the words in every language.

import { knows, language, say } from "./strings.js";

export function questionText(board) {
  const { kind, ref, text, options } = board.pending;
  if (language === "en" || !knows(`ask_${kind}`)) return text;
  // A turn that went by unseen may have been a pass; a piece placed too early was none.
  const words = options.some((option) => option.value === "pass") ? "ask_unseen" : `ask_${kind}`;
  const player = board.last?.ref === ref ? board.last?.player : null;
  return kind === "blame" || player ? say(words, { player }) : say(`${words}_nobody`);
}

export function answerText(option, board) {
  if (language === "en") return option.label || option.value;
  if (option.value === "none") return say(`answer_none_${board.pending.kind}`);
  if (board.pending.kind === "blame" && board.players.some((player) => player.name === option.value))
    return say("answer_bumped", { player: option.value });
  return knows(`answer_${option.value}`) ? say(`answer_${option.value}`) : option.label || option.value;
}
