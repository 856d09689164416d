// Whether pieces have just fallen.

const BOTH = 2; // revisions: the fall and the clearing

// By a board and the one before it. Where all of them roll off at once no document has the phase
// between: the round is another one, and no other move can have cleared the board in one step.
export function justFell(board, before) {
  if (board.last?.type === "toppled") return board.phase !== before.phase;
  const played = ["roll", "act"].includes(before.phase) && board.rev - before.rev <= BOTH;
  return played && board.last?.type === "cleared" && board.round > before.round;
}
