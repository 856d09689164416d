// What there is to tell of the games of months: who wins how often and lately, who beats whom, and
// what was never done better. Values in, values out; games come with the oldest first.

const FORM = 5; // games that say how somebody plays lately
export const RECORDS = ["score", "highest", "best", "boldest", "streak", "comeback"];

// Games that the rules ended; one broken off counts for nobody.
export const counted = (games) => games.filter((game) => !game.broken_off);

export const kindsOf = (games) => [...new Set(games.map(({ kind }) => kind))];

// By player, who won most first: games, wins, the last games with what became of them.
export function playersOf(games) {
  const found = new Map();
  for (const game of counted(games))
    for (const { name } of game.players) {
      const one = found.get(name) ?? { name, games: 0, wins: 0, form: [] };
      const won = (game.winners ?? []).includes(name);
      one.games += 1;
      one.wins += won ? 1 : 0;
      one.form = [...one.form, { won, game }].slice(-FORM);
      found.set(name, one);
    }
  return [...found.values()].sort((a, b) => b.wins - a.wins || a.games - b.games || a.name.localeCompare(b.name));
}

// How often one has won, and how often the other, when both played; a map of maps, by name.
export function meetingsOf(games) {
  const found = new Map();
  for (const { players, winners = [] } of counted(games))
    for (const { name } of players)
      for (const { name: other } of players) {
        if (name === other) continue;
        const row = found.get(name) ?? new Map(), cell = row.get(other) ?? { games: 0, wins: 0 };
        cell.games += 1;
        cell.wins += winners.includes(name) && !winners.includes(other) ? 1 : 0;
        found.set(name, row.set(other, cell));
      }
  return found;
}

// The greatest of each kind with its game; of equals the first, who did it again only equalled it.
// Scores of different games are no match for each other.
export function recordsOf(games) {
  const found = {};
  const better = (name, feat, game) => {
    if (feat && !(found[name]?.feat.value >= feat.value)) found[name] = { feat, game };
  };
  for (const game of counted(games)) {
    for (const name of RECORDS) better(name, game.highlights?.[name], game);
    for (const { name, score } of game.players) if (score !== null && kindsOf(games).length === 1) better("score", { player: name, value: score }, game);
  }
  return found;
}

// The games of each month, the newest month and game first.
export function monthsOf(games) {
  const found = new Map();
  for (const game of [...games].reverse()) found.set(game.ended.slice(0, 7), [...(found.get(game.ended.slice(0, 7)) ?? []), game]);
  return [...found];
}
