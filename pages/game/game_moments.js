// A finished game as the documents a scoreboard draws, one for each move, and what there is to say
// about each. Values in, values out.

const BOLD = 3; // placements that are called bold, and from which risk on
const BOLD_FROM = 0.1;
const MARKS = "●▲■◆";

// The whole board after each move, put together from what each has changed.
export function boardsOf({ result, target, moments }) {
  let stacks = {}, view = null;
  return moments.map((moment, at) => {
    stacks = Object.fromEntries(Object.entries({ ...stacks, ...moment.board }).filter(([, stack]) => stack.length));
    if (moment.view) view = { ...view, ...moment.view };
    const scores = moment.scores ?? [];
    return {
      boot: "", game: result.game, rev: at, seq: at, kind: result.kind, target,
      phase: moment.phase, round: moment.round, last: moment.last,
      turn: moment.turn ? { player: moment.turn, die: moment.die } : null,
      players: result.players.map((player, seat) => ({ ...player, colours: player.colours ?? [], mark: MARKS[seat % MARKS.length], score: scores[seat] ?? null })),
      board: Object.fromEntries(Object.entries(stacks).map(([cell, stack]) => [cell, stack.map((colour) => ({ colour }))])),
      winners: at === moments.length - 1 ? (result.winners ?? []) : [],
      view,
    };
  });
}

// What is worth a remark, by number of the move: `bold` with its risk, `best` placement, `leads` who
// took the lead, `fell`, and the questions `asked`.
export function remarksOf({ result, moments }) {
  const bold = new Set(moments.filter(({ risk }) => risk >= BOLD_FROM).sort((a, b) => b.risk - a.risk).slice(0, BOLD));
  const best = bestOf(moments);
  let leader = null;
  return moments.map((moment) => {
    const ahead = leaderOf(moment.scores ?? [], result.players);
    const leads = ahead && ahead !== leader && leader ? ahead : null;
    leader = ahead ?? leader;
    return {
      bold: bold.has(moment) ? moment.risk : null,
      best: moment === best ? moment.last.points : null,
      leads,
      fell: moment.last.type === "toppled",
      film: moment.seq ?? null,
      asked: moment.asked ?? [],
    };
  });
}

function bestOf(moments) {
  const worth = moments.filter(({ last }) => last.type === "placed" && last.points > 0);
  return worth.reduce((best, one) => (best && best.last.points >= one.last.points ? best : one), null);
}

// Who is alone in front.
function leaderOf(scores, players) {
  const best = Math.max(...scores.map((score) => score ?? -Infinity));
  return scores.length > 1 && scores.filter((score) => score === best).length === 1 ? players[scores.indexOf(best)].name : null;
}
