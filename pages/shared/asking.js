// What the table asks, and the answers it offers, in the language of who looks at it. The table
// asks in English; of the questions it can have, we know the words in every language.

import { colourWord } from "./play_words.js";
import { knows, language, say } from "./strings.js";

// What is asked together before the winner is called; it has a card of its own.
export const lastQuestions = ({ before_winner }) => before_winner ?? [];

// Whether the game is over and its winner may be called.
export const called = ({ phase, result }) => phase === "over" && result !== "open";

// Whether the winner is called with this board: for the first time, or another one after a correction.
export const wonAnew = (board, before) => called(board) && (!called(before) || String(board.winners) !== String(before.winners));

// Who bumped the table is asked beside the game: the points can wait, and play goes on.
export const insists = (board) => Boolean(board.pending) && board.pending.kind !== "blame" && !lastQuestions(board).length;

// A question of the end, with its round where that is not the last.
export const roundText = (board, asked) => asked.round === board.round ? questionText(board, asked) : say("pair", { name: say("round", asked), value: questionText(board, asked) });

export function questionText(board, asked = board.pending) {
  const { kind, ref, text, options } = asked;
  if (language === "en" || !knows(`ask_${kind}`)) return text;
  const player = asked.player ?? (board.last?.ref === ref ? board.last?.player : null);
  if (kind === "turn") return say(player ? "ask_turn" : "ask_turn_nobody", { player });
  if (kind === "blame") return say(player ? "ask_doubt" : asked.of === "cleared" ? "ask_cleared" : "ask_blame", { player });
  // The colour that the piece weighs like is the first answer.
  if (kind === "colour") return say("ask_colour", { player, colour: colourWord(options[0].value) });
  // A turn that went by unseen may have been a pass; a piece placed too early was none.
  const words = options.some((option) => option.value === "pass") ? "ask_unseen" : `ask_${kind}`;
  return player ? say(words, { player }) : say(`${words}_nobody`);
}

// The player whom it is about, as far as that is one whose piece is meant.
export function askedOf(board, asked = board.pending) {
  return asked.kind === "turn" ? undefined : board.players.find((player) => player.name === asked.player);
}

export function answerText(option, board, asked = board.pending) {
  if (language === "en" && option.label) return option.label;
  if (asked.kind === "turn") return say("answer_begins", { player: option.value });
  if (asked.kind === "colour" && option.value !== "unknown")
    return say(option === asked.options[0] ? "answer_colour_yes" : "answer_colour_no", { colour: colourWord(option.value) });
  if (option.value === "none") return say(`answer_none_${asked.kind}`);
  if (asked.kind === "blame" && board.players.some((player) => player.name === option.value))
    return say("answer_bumped", { player: option.value });
  return knows(`answer_${option.value}`) ? say(`answer_${option.value}`) : option.label || option.value;
}
