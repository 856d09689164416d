// What a dialog is about. While that stands, news from the table leave the dialog as it is; when it
// is gone, the dialog says so and waits to be closed. It never closes by itself.

import { lastQuestions } from "./asking.js";
import { el } from "./dom.js";
import { say } from "./strings.js";
import { toppleBeingCleared } from "./play_topple.js";

const lies = (board, cell, piece) => (board.board[cell] ?? []).some(({ ref, colour }) => ref === piece.ref && colour === piece.colour);
const turnOf = ({ phase, turn, history }) => JSON.stringify([phase, turn?.player, turn?.die, history.length]);

// By dialog: the words for what has gone, or null while it is there. Those not named here are about
// the game as a whole.
const GONE = {
  place: (board, _, opened) => (turnOf(board) === turnOf(opened) ? null : "gone_turn"),
  fall: (board) => (["roll", "act"].includes(board.phase) && Object.keys(board.board).length ? null : toppleBeingCleared(board) !== null ? null : "gone_board"),
  doubt: (board, _, opened) => (board.doubt?.id === opened.doubt?.id ? null : "gone_doubt"),
  "fix-piece": (board, { cell, piece }) => (lies(board, cell, piece) ? null : "gone_piece"),
  "fix-stack": (board, { cell, pieces }) => (pieces.every((piece) => lies(board, cell, piece)) ? null : "gone_piece"),
};
const ABOUT_NOTHING = ["invite", "more"];
const ABOUT_PLAYERS = ["seat"]; // they are the same when the game is over

export const opened = (name, more, board) => ({ name, with: more, board, opened: board, gone: null });

// The dialog as it is to be drawn now: on the newest document for as long as it has a meaning there,
// and then on the last one where it had.
export function keep(sheet, board) {
  sheet.gone = ABOUT_NOTHING.includes(sheet.name) ? null
    : board.game !== sheet.opened.game ? "gone_game"
      : ABOUT_PLAYERS.includes(sheet.name) ? null
      : sheet.name !== "doubt" && ["idle", "over"].includes(board.phase) ? "gone_over"
        : GONE[sheet.name]?.(board, sheet.with, sheet.opened) ?? null;
  if (!sheet.gone) sheet.board = board;
}

// By what is said on the panel: whether it is as much meant on a newer document as on the one on
// which it was pressed. To take back or to end is about the moment, and so is what is not named here.
const STANDS = {
  answer: (pressed, now, { question, value }) => asks(now, question, value),
  action: (pressed, now) => JSON.stringify(now.view) === JSON.stringify(pressed.view) && sameTurn(pressed, now),
  roll: sameTurn, pass: sameTurn, place: sameTurn, turn: sameTurn, cleared: sameTurn,
};

export const stands = (verb, data, pressed, now) => now.game === pressed.game && Boolean(STANDS[verb]?.(pressed, now, data));

// Nobody has rolled, passed or placed, and nothing fell.
function sameTurn(pressed, now) {
  return turnOf(now) === turnOf(pressed) && pieces(now) === pieces(pressed);
}

const pieces = ({ board }) => Object.values(board).flat().length;

const asks = (board, id, value) => [board.pending, board.doubt, ...lastQuestions(board)]
  .some((asked) => asked?.id === id && asked.options.some((option) => option.value === value));

// The words take the place of the note below the heading: nothing else moves.
export function withWords(parts, gone) {
  if (!gone) return parts;
  const words = el("p", { class: "gone", role: "alert" }, say(gone));
  return [parts[0], words, ...parts.slice(parts[1]?.classList.contains("note") ? 2 : 1)];
}
