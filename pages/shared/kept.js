// What a file that people keep has in it, of which the pages otherwise ask the server: of one game, or
// of a whole evening with its games. Null on the pages themselves.

export const kept = JSON.parse(document.getElementById("kept")?.textContent ?? "null");

export const ofEvening = Boolean(kept?.each);

// Moves and films of a game in the file.
export const keptGame = (game) => (ofEvening ? { table: kept.table, ...kept.each[game] } : kept);

// Another page of the file of an evening: that of a game, or without one the evening.
export function inFile(game) {
  const address = new URL(location.href);
  address.hash = "";
  for (const [name, value] of [["page", game && "game"], ["id", game]]) {
    if (value) address.searchParams.set(name, value);
    else address.searchParams.delete(name);
  }
  return address.href;
}
