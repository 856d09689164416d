// Which sounds of a caller pack say a call, by their addresses. Nothing here plays, asks or waits.
//
// A pack's `calls` has, for each call, clips and {gaps} in the order in which they are played; of
// several, those whose turn it is; or one for each plural form of the pack's language.

// A player's file is found however the name was typed; some systems take letters and accents apart.
const key = (name) => name.normalize("NFKC").split(/\s+/).filter(Boolean).join(" ").toLowerCase();
const ofPlayer = (sounds, name) => Object.entries(sounds).find(([file]) => key(file) === key(name))?.[1] ?? null;

// Addresses for a call `{ id, values, general }` about this board, or null where a sound is missing.
// `everywhere`: names of players that hold for each pack.
export function soundsOf(pack, call, board, everywhere = {}) {
  const said = pack.calls[call.id] ?? pack.calls[call.general];
  if (said === undefined) return null;
  const speaker = { pack, board, everywhere };
  const found = chosen(said, call.values, pack.language, board.seq ?? 0).split(/\s+/).filter(Boolean).flatMap((part) => heard(speaker, part, call.values));
  return found.length && !found.includes(null) ? found : null;
}

// A player's own sound, if there is one.
export const jingleOf = (player, pack, everywhere = {}) => ofPlayer(pack?.jingles ?? {}, player) ?? ofPlayer(everywhere, player);

function chosen(said, values, language, turn) {
  if (typeof said === "string") return said;
  if (Array.isArray(said)) return said[turn % said.length] ?? "";
  return said[new Intl.PluralRules(language).select(Math.abs(values.n ?? 0))] ?? said.other ?? "";
}

function heard(speaker, part, values) {
  const gap = /^\{(\w+)\}$/.exec(part)?.[1];
  if (!gap) return [clip(speaker, part)];
  const value = values[gap];
  if (typeof value === "number") return number(speaker, value);
  if (Array.isArray(value)) return list(speaker, value);
  if (gap === "cell") return [...String(value)].map((sign) => clip(speaker, sign));
  return gap === "player" ? [player(speaker, value)] : [null];
}

const clip = ({ pack }, name) => (Object.hasOwn(pack.clips, name) ? pack.clips[name] : null);

// Whole numbers by one sound where there is one, else hundreds and the rest: 112 is "100", "12".
function number(speaker, n) {
  if (n < 0) return [clip(speaker, "minus"), ...number(speaker, -n)];
  const whole = clip(speaker, String(n)), rest = n % 100;
  if (whole || n < 101 || !rest || !Number.isInteger(n)) return [whole];
  return [clip(speaker, String(n - rest)), clip(speaker, String(rest))];
}

function list(speaker, names) {
  const said = names.map((name) => player(speaker, name)), and = clip(speaker, "and");
  return said.length > 1 && and ? [...said.slice(0, -1), and, said.at(-1)] : said;
}

// By name; else by the colour, where the player has just one; else by the seat.
function player(speaker, name) {
  const seat = speaker.board.players.findIndex((one) => one.name === name), { colours = [] } = speaker.board.players[seat] ?? {};
  const colour = colours.length === 1 ? clip(speaker, colours[0]) : null;
  return ofPlayer(speaker.pack.names, name) ?? ofPlayer(speaker.everywhere, name) ?? colour ?? clip(speaker, `player_${seat + 1}`);
}
