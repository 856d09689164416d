// Whose turn it is, when the table is not sure of it or somebody knows better: one tap on a name.

import { say } from "./strings.js";

const SURE = 0.9; // below it a name has a question mark: one turn in ten would be another's

export const asksTurn = ({ pending }) => pending?.kind === "turn";

// Whether the turn is in doubt, by a question or by the table's own probability.
export function doubtsTurn(board) {
  if (!board.turn || ["idle", "over"].includes(board.phase)) return false;
  return asksTurn(board) || (board.turn.p ?? 1) < SURE;
}

// Whether somebody is still in the game, with a piece to place.
export const mayPlay = ({ out, left }) => !out && Object.values(left).some(Boolean);

// Whether it may be that player's turn: one of those who are asked about, or else anybody.
export function mayBegin(player, board) {
  if (!doubtsTurn(board)) return false;
  return asksTurn(board) ? board.pending.options.some(({ value }) => value === player.name) : mayPlay(player);
}

// "Bob begins?" before the roll, else "Bob's turn?".
export function turnWords(board) {
  return say(asksTurn(board) || board.phase !== "act" ? "turn_begins" : "turn_maybe", board.turn);
}

// Verb and data by which it becomes the turn of that player: the answer where it is asked.
export function turnSaid(board, player) {
  const asked = asksTurn(board) && mayBegin({ name: player }, board);
  return asked ? ["answer", { question: board.pending.id, value: player }] : ["turn", { player }];
}
