// What a commentator says about a change of the board, as sentences. Nothing here speaks.
//
// Points are told once they are settled: a placement that may still be corrected is told without
// them, and with the next change of the board everybody's new score is told. Which of several ways
// to say a thing is taken goes by `seq`, so that two screens say the same.

import { called, insists, lastQuestions, questionText, roundText } from "./asking.js";
import { GAMES } from "./games/facts.js";
import { knows, say, spoken, wins } from "./strings.js";

const LEAD_TOLD_FROM = 10; // points; before that the lead changes with every piece
const STREAK = 3; // scoring placements of one player one after the other
const HANGS_DEG = 4; // some two thirds of the way to where pieces slide

export class Commentary {
  #board = null;
  #told = new Map(); // player -> score that was told last
  #streaks = new Map();
  #leader = null;
  #hung_deg = 0;

  // Sentences about this board after the one before, and whether they are `important` enough to be
  // said however much is waiting.
  about(board, tilt_deg = null) {
    const before = this.#board;
    this.#board = board;
    if (!before || before.boot !== board.boot || before.game !== board.game) return this.#begin(board, before);
    if (board.seq <= before.seq && board.pending?.id === before.pending?.id && called(board) === called(before)) return none();
    const toppled = board.last?.type === "toppled" && before.phase !== board.phase;
    const words = [
      toppled ? topple(board) : board.seq > before.seq ? this.#happened(board) : "",
      ...this.#settled(board),
      toppled ? "" : this.#leads(board),
      this.#hangs(board, tilt_deg),
      next(board, before),
    ].filter(Boolean);
    return { words, important: toppled || board.phase === "over" || asks(board, before) };
  }

  #begin(board, before) {
    this.#told = new Map(board.players.map(({ name, score }) => [name, score]));
    this.#streaks = new Map();
    this.#leader = leaderOf(board);
    this.#hung_deg = 0;
    const fresh = before && board.game && !["idle", "over"].includes(board.phase);
    return fresh ? { words: [say("c_begins", { players: board.players.map(({ name }) => name) }), next(board, board)].filter(Boolean), important: true } : none();
  }

  // The placement itself; its points follow when they stand.
  #happened(board) {
    const { last } = board;
    if (!last?.player || !GAMES[board.kind]?.by_sensors) return "";
    if (last.type === "rolled") return board.turn?.die === 6 ? phrase("c_six", board, last) : "";
    if (last.type === "passed") return phrase("c_passed", board, last);
    if (last.type !== "placed") return ["corrected", "retracted"].includes(last.type) ? say("c_corrected", last) : "";
    const streak = last.points > 0 ? (this.#streaks.get(last.player) ?? 0) + 1 : 0;
    this.#streaks.set(last.player, streak);
    return last.cell ? phrase("c_placed", board, last) : say("c_placed_nowhere", last);
  }

  #settled(board) {
    const news = board.players.filter(({ name, score, provisional }) => !provisional && score !== null && score !== this.#told.get(name));
    return news.map(({ name, score }) => {
      const gained = score - (this.#told.get(name) ?? 0), streak = this.#streaks.get(name) ?? 0;
      this.#told.set(name, score);
      const words = say(gained > 0 ? "c_gains" : "c_loses", { player: name, n: Math.abs(gained), score: spoken(score) });
      const row = gained > 0 ? rows(board, name) : "";
      return [words, row, gained > 0 && streak >= STREAK ? say("c_streak", { player: name, n: streak }) : ""].filter(Boolean).join(" ");
    });
  }

  #leads(board) {
    const leader = leaderOf(board), before = this.#leader;
    if (board.players.some(({ provisional }) => provisional) || !leader || leader === before) return "";
    this.#leader = leader;
    return before ? say("c_leads", { player: leader }) : "";
  }

  // Once for each time that it hangs a degree further than it was told.
  #hangs(board, tilt_deg) {
    if (tilt_deg === null || board.phase === "clear" || !GAMES[board.kind]?.by_sensors) return "";
    if (tilt_deg < HANGS_DEG) this.#hung_deg = 0;
    if (tilt_deg < Math.max(HANGS_DEG, this.#hung_deg + 1)) return "";
    this.#hung_deg = tilt_deg;
    return say("c_hangs", { n: Math.round(tilt_deg) });
  }
}

const none = () => ({ words: [], important: false });
const asks = (board, before) => insists(board) && board.pending.id !== before.pending?.id;

function topple(board) {
  const player = board.pending?.kind === "blame" ? null : board.last.player;
  return player ? phrase("c_topple", board, { player }) : say("c_topple_nobody");
}

// Rows that the last placement completed, if it is this player's.
function rows(board, name) {
  const { last } = board;
  if (last?.player !== name || last.type !== "placed") return "";
  const made = (last.ways ?? []).filter(({ way, points }) => points > 0 && way !== "stack" && knows(`c_way_${way}`));
  return made.map(({ way }) => say(`c_way_${way}`)).join(" ");
}

function next(board, before) {
  if (called(board)) return called(before) ? "" : wins(board.winners);
  if (board.phase === "over") return before.phase === "over" ? "" : [say("before_winner"), ...lastQuestions(board).map((asked) => roundText(board, asked))].join(" ");
  if (insists(board)) return asks(board, before) ? questionText(board) : "";
  if (board.phase === "clear" && before.phase !== "clear") return say("c_clear");
  const player = board.turn?.player;
  return player && player !== before.turn?.player ? say("c_turn", { player }) : "";
}

function leaderOf({ players }) {
  const scores = players.map(({ score }) => score ?? -Infinity), best = Math.max(...scores);
  return best >= LEAD_TOLD_FROM && scores.filter((score) => score === best).length === 1 ? players[scores.indexOf(best)].name : null;
}

// One of the ways to say it: c_placed_0, c_placed_1, ...
function phrase(key, board, values) {
  let ways = 0;
  while (knows(`${key}_${ways}`)) ways++;
  return say(`${key}_${board.seq % ways}`, values);
}
