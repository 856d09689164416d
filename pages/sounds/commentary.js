// What is called when the board changes: codes with arguments, `{ id, values }`. Nothing here speaks,
// and `inWords` gives a call as a sentence.
//
// Nothing is called that may still be corrected: not a placement, nor its points, nor who toppled the
// tower, nor a turn in doubt. Once it stands it is called, and after a correction only what is right.
// Which of several ways to say a thing is taken goes by `seq`, so that two screens say the same.

import { called, insists, lastQuestions, questionText, roundText, wonAnew } from "./asking.js";
import { justFell } from "./falls.js";
import { GAMES } from "./games/facts.js";
import { knows, say, spoken, wins } from "./strings.js";
import { needed } from "./target.js";
import { doubtsTurn } from "./turns.js";

const LEAD_TOLD_FROM = 10; // points; before that the lead changes with every piece
const STREAK = 3; // scoring placements of one player one after the other
const HANGS_DEG = 4; // some two thirds of the way to where pieces slide
const TAKEN_BACK = ["corrected", "retracted", "undone", "redone"];

export class Commentary {
  #board = null;
  #told = new Map(); // player -> score that was called last
  #mended = new Set(); // players whose score changed by a correction and was not called since
  #streaks = new Map();
  #rows = new Map(); // player -> calls of the rows of the last placement
  #turn = null; // whose turn was called last
  #leader = null;
  #hung_deg = 0;

  // Calls about this board after the one before, and whether they are `important` enough to be said
  // however much is waiting.
  about(board, tilt_deg = null) {
    const before = this.#board;
    this.#board = board;
    if (!before || before.boot !== board.boot || before.game !== board.game) return this.#begin(board, before);
    if (board.seq <= before.seq && board.pending?.id === before.pending?.id && called(board) === called(before)) return none();
    const toppled = justFell(board, before);
    const happened = toppled ? topple(board) : board.seq > before.seq ? this.#happened(board) : [], settled = this.#settled(board);
    const calls = [
      // A roll or a pass settles what was before it.
      ...(["rolled", "passed"].includes(board.last?.type) ? [...settled, ...happened] : [...happened, ...settled]),
      ...(toppled ? [] : this.#leads(board)),
      ...this.#hangs(board, tilt_deg),
      ...this.#next(board, before),
    ];
    return { calls, important: toppled || board.phase === "over" || asks(board, before) };
  }

  #begin(board, before) {
    this.#told = new Map(board.players.map(({ name, score }) => [name, score]));
    this.#mended.clear();
    this.#streaks = new Map();
    this.#rows = new Map();
    this.#turn = board.turn?.player ?? null;
    this.#leader = leaderOf(board);
    this.#hung_deg = 0;
    if (!before || !board.game || ["idle", "over"].includes(board.phase)) return none();
    return { calls: [call("begins", { players: board.players.map(({ name }) => name) }), ...this.#next(board, board)], important: true };
  }

  // What was done; points follow when they stand.
  #happened(board) {
    const { last } = board;
    if (TAKEN_BACK.includes(last?.type)) return this.#takenBack(board);
    if (!last?.player || !GAMES[board.kind]?.by_sensors) return [];
    const { player, cell } = last;
    if (last.type === "rolled") return board.turn?.die === 6 ? [call("six", { player })] : [];
    if (last.type === "placed") {
      this.#streaks.set(player, last.points > 0 ? (this.#streaks.get(player) ?? 0) + 1 : 0);
      this.#rows.set(player, rows(last));
    }
    if (!stands(last)) return [];
    if (last.type === "passed") return [call("passed", { player })];
    if (last.type !== "placed") return [];
    return [cell ? call("placed", { player, cell }) : call("placed_nowhere", { player })];
  }

  #takenBack({ last, players }) {
    for (const { name, score } of players) if (score !== this.#told.get(name)) this.#mended.add(name);
    this.#streaks.delete(last.player);
    this.#rows.delete(last.player);
    if (!["corrected", "retracted"].includes(last.type) || !stands(last)) return [];
    return [last.of === "placed" && last.cell && last.player ? call("corrected_placed", { player: last.player, cell: last.cell }) : call("corrected")];
  }

  #settled(board) {
    const news = board.players.filter(({ name, score, provisional }) => !provisional && score !== null && score !== this.#told.get(name));
    return news.flatMap(({ name: player, score }) => {
      const gained = score - (this.#told.get(player) ?? 0), streak = this.#streaks.get(player) ?? 0;
      this.#told.set(player, score);
      if (this.#mended.delete(player)) return [call("stands", { player, score })];
      const made = gained > 0 ? this.#rows.get(player) ?? [] : [];
      this.#rows.delete(player);
      return [
        call(gained > 0 ? "gains" : "loses", { player, n: Math.abs(gained), score }),
        ...made,
        ...(gained > 0 && streak >= STREAK ? [call("streak", { player, n: streak })] : []),
      ];
    });
  }

  #leads(board) {
    const leader = leaderOf(board), before = this.#leader;
    if (board.players.some(({ provisional }) => provisional) || !leader || leader === before) return [];
    this.#leader = leader;
    return before ? [call("leads", { player: leader })] : [];
  }

  // Once for each time that it hangs a degree further than it was told.
  #hangs(board, tilt_deg) {
    if (tilt_deg === null || board.phase === "clear" || !GAMES[board.kind]?.by_sensors) return [];
    if (tilt_deg < HANGS_DEG) this.#hung_deg = 0;
    if (tilt_deg < Math.max(HANGS_DEG, this.#hung_deg + 1)) return [];
    this.#hung_deg = tilt_deg;
    return [call("hangs", { n: Math.round(tilt_deg) })];
  }

  #next(board, before) {
    if (called(board)) return wonAnew(board, before) ? [won(board)] : [];
    if (board.phase === "over") return before.phase === "over" ? [] : [call("before_winner"), ...lastQuestions(board).map((asked) => question(asked, roundText(board, asked)))];
    if (insists(board)) return asks(board, before) ? [question(board.pending, questionText(board))] : [];
    if (board.phase === "clear" && before.phase !== "clear") return [call("clear")];
    return this.#turns(board);
  }

  // Whose turn it is, once it is certain; and what is missing to the end, once the score is.
  #turns(board) {
    const player = board.turn?.player ?? null;
    if (player === this.#turn || (player && doubtsTurn(board))) return [];
    this.#turn = player;
    const seat = board.players.find(({ name }) => name === player);
    if (!seat) return [];
    const n = seat.provisional ? null : needed(seat, board);
    return [n === null ? call("turn", { player }) : call("needs", { player, n })];
  }
}

// Why something was not done, for those who did it and all at the table.
export const refusal = ({ code, reason }, text) => ({ ...call(`refused_${reason ?? code}`), general: "refused", text });

// A call as a sentence.
export function inWords({ id, values, text }, board) {
  if (text) return text;
  if (id === "wins" || id === "wins_nobody") return wins(values.winners ?? []);
  if (id === "before_winner") return say(id);
  const key = `c_${id}`, plain = knows(key);
  let ways = 0;
  while (!plain && knows(`${key}_${ways}`)) ways++;
  const heard = "score" in values ? { ...values, score: spoken(values.score) } : values;
  return say(plain ? key : `${key}_${board.seq % ways}`, heard);
}

export const call = (id, values = {}) => ({ id, values });
const none = () => ({ calls: [], important: false });
const stands = ({ status }) => !["provisional", "asked"].includes(status);
const asks = (board, before) => insists(board) && board.pending.id !== before.pending?.id;
const question = (asked, text) => ({ ...call(`ask_${asked.kind}`), general: "ask", text });
const won = ({ winners }) => (winners.length ? call("wins", { winners, n: winners.length }) : call("wins_nobody"));

function topple(board) {
  const { last, pending } = board;
  const open = pending?.kind === "blame" || last.type !== "toppled" || !stands(last);
  const player = open ? null : last.player;
  return [player ? call("topple", { player }) : call("topple_nobody")];
}

// Rows that a placement completed.
const rows = ({ ways = [] }) => ways.filter(({ way, points }) => points > 0 && ["complete", "add"].includes(way)).map(({ way }) => call(`way_${way}`));

function leaderOf({ players }) {
  const scores = players.map(({ score }) => score ?? -Infinity), best = Math.max(...scores);
  return best >= LEAD_TOLD_FROM && scores.filter((score) => score === best).length === 1 ? players[scores.indexOf(best)].name : null;
}
