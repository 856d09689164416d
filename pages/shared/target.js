// What is missing to the points that win.

const SOON = 10; // points: one placement seldom brings more

// Points that a player still needs, once they may come at any moment; else null.
export function needed(player, board) {
  const n = (board.target ?? Infinity) - (player.score ?? -Infinity);
  return n < 1 || n > SOON || player.out || ["over", "idle"].includes(board.phase) ? null : n;
}
