// Whether pieces have just fallen.

const BOTH = 2; // revisions: the fall and the clearing

// By a board and the one before it.
export const justFell = (board, before) =>
  board.last?.type === "toppled" ? board.phase !== before.phase : fellAtOnce(board, before);

// Where all of them roll off at once no document has the phase between: the round is another one,
// and no other move can have cleared the board in one step.
export function fellAtOnce(board, before) {
  const played = ["roll", "act"].includes(before.phase) && board.rev - before.rev <= BOTH;
  return played && board.last?.type === "cleared" && board.round > before.round;
}
