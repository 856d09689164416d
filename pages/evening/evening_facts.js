// What there is to tell of an evening, from how its games ended. Values in, values out.

const PAUSE_MS = 6 * 3600 * 1000; // between two evenings

// What a player can be known for, and which field of a game's highlights says it.
export const FEATS = ["highest", "boldest", "best", "streak", "comeback", "steadiest"];

// The games of the evening that ended last, the oldest first.
export function gamesOf(results) {
  const ended = (results?.games ?? []).filter((game) => game.over);
  let first = ended.length - 1;
  while (first > 0 && Date.parse(ended[first].ended) - Date.parse(ended[first - 1].ended) < PAUSE_MS) first--;
  return ended.slice(Math.max(0, first));
}

// Games that the rules ended; one broken off counts for nobody.
export const counted = (games) => games.filter((game) => !game.broken_off);

// The game of the evening: the one in which the lead changed most often; of equals the closest, and
// of those the last. Null before the first.
export function bestOf(games) {
  const told = counted(games).map((game) => ({ game, changes: leadChanges(game.highlights?.scores ?? []), margin: marginOf(game) }));
  return told.sort((a, b) => a.changes - b.changes || b.margin - a.margin).at(-1) ?? null;
}

// How often somebody else came to be alone in front.
export function leadChanges(rows) {
  let leader = null, changes = 0;
  for (const row of rows) {
    const best = Math.max(...row), alone = row.filter((score) => score === best).length === 1;
    if (!alone || row.indexOf(best) === leader) continue;
    changes += leader === null ? 0 : 1;
    leader = row.indexOf(best);
  }
  return changes;
}

// Points between the first two; endless in a game without points.
function marginOf(game) {
  const [first, second] = game.players.map(({ score }) => score).filter((score) => score !== null).sort((a, b) => b - a);
  return second === undefined ? Infinity : first - second;
}

// By player, who won most first: games, wins, points of each kind of game, topples, feats held, and
// whose pieces they fell over.
export function playersOf(games) {
  games = counted(games);
  const found = new Map();
  for (const game of games)
    for (const { name, score } of game.players) {
      const one = found.get(name) ?? { name, games: 0, wins: 0, points: {}, topples: 0, feats: [], nemesis: null };
      one.games += 1;
      one.wins += game.winners.includes(name) ? 1 : 0;
      if (score !== null) one.points[game.kind] = (one.points[game.kind] ?? 0) + score;
      one.topples += fallen(game).filter(({ player }) => player === name).length;
      found.set(name, one);
    }
  for (const [feat, { player }] of Object.entries(featsOf(games))) found.get(player)?.feats.push(feat);
  for (const one of found.values()) one.nemesis = nemesisOf(games, one.name);
  return [...found.values()].sort((a, b) => b.wins - a.wins || total(b) - total(a) || a.name.localeCompare(b.name));
}

// The greatest of each kind in these games, of presses the least; of equals the first.
export function featsOf(games) {
  const found = {};
  for (const game of games)
    for (const feat of FEATS) {
      const one = game.highlights?.[feat];
      const better = feat === "steadiest" ? one?.value < found[feat]?.value : one?.value > found[feat]?.value;
      if (one && (!found[feat] || better)) found[feat] = one;
    }
  return found;
}

// After whose pieces somebody toppled most often, if twice at least.
function nemesisOf(games, name) {
  const times = new Map();
  for (const { player, after } of games.flatMap(fallen))
    if (player === name && after && after !== name) times.set(after, (times.get(after) ?? 0) + 1);
  const [who, n] = [...times].sort((a, b) => b[1] - a[1])[0] ?? [null, 0];
  return n >= 2 ? { name: who, n } : null;
}

// Points of different games do not add up; where there is one kind they put the players in order.
function total({ points }) {
  const kinds = Object.values(points);
  return kinds.length === 1 ? kinds[0] : 0;
}

const fallen = (game) => game.highlights?.topples ?? [];
