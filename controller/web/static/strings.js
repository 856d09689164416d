// Every word the pages say, in one place. A language is one more object with the same keys;
// `{name}` is filled in, and a function gets the values where words must agree with a number.

const en = {
  title: "Topple Table",
  tables_none: "No table has said anything yet.",
  tables_wait: "This page fills itself as soon as one does.",
  table: "Table {table}",
  game_topple: "Topple",
  game_topolo: "Topolo",
  "game_triple-topper-toe": "Triple Topper Toe",
  game_topominos: "Topominos",
  game_none: "No game yet",
  round: "Round {round}",
  target: "to {target}",
  to_roll: "roll!",
  to_act: "to play",
  to_other: "to play",
  out: "out",
  winner: "winner",
  leads: "leads",
  pieces_left: ({ n }) => (n === 1 ? "1 piece left" : `${n} pieces left`),
  not_final: "not final yet",
  score_unknown: "",

  notice_no_broker: "No connection to the broker",
  notice_unknown: "Not heard from this table yet",
  notice_offline: "The table is offline",
  notice_stale: "No news from the table for a while",
  notice_init: "The table is starting",
  notice_stopping: "The table is stopping",
  notice_degraded: "A sensor needs a look",
  notice_simulated: "simulated",
  notice_page: "This page has lost its server",
  last_known: "showing the last known score",

  last_placed: "{player} placed on {cell}",
  last_placed_nowhere: "{player} placed a piece",
  last_passed: "{player} passed",
  last_rolled: "{player} rolled {die}",
  last_rolled_something: "{player} rolled",
  last_started: "The game begins",
  last_cleared: "The board is clear",
  last_undone: "Undone",
  last_redone: "Done again",
  last_corrected: "Corrected: {player} on {cell}",
  last_corrected_nowhere: "Corrected",
  last_retracted: "{player}'s piece on {cell} was taken back",
  last_retracted_nowhere: "Taken back",
  last_fell: "{player}'s piece did not stay",
  last_ended: "The game was ended",
  last_toppled: "{player} toppled it",
  last_toppled_bump: "{player} bumped the table",
  last_toppled_nobody: "It toppled",
  last_place: ({ player, cell }) => (cell ? `${player} placed on ${cell}` : `${player} placed`),
  last_place_in: "{player} placed in compartment {cell}",
  last_pass: "{player} passed",
  last_draw: "{player} drew",
  last_play: "{player} played a card",
  last_discard: "{player} discarded",
  last_end: "{player} ended the turn",
  last_next_round: "The next round begins",
  last_buzz: "{player} answered",
  last_nobuzz: "Nobody knew the answer",
  last_other: "{player}: {type}",
  last_other_nobody: "{type}",
  points: ({ points }) => (points > 0 ? `+${points}` : `${points}`).replace("-", "−"),
  no_points: "no points",
  way_complete: "completed {where}",
  way_add: "added to {where}",
  way_stack: "stack on {where}",
  row_rank: "rank {where}",
  row_file: "file {where}",
  row_diagonal: "the diagonal",
  sure: "{percent} % sure",
  status_provisional: "provisional",
  status_asked: "asking",

  risk_title: "Risk of a fall",
  risk_low: "under 5 %",
  risk_middling: "5 to 20 %",
  risk_high: "20 % or more",

  cards_held: ({ player, n }) => `${player} ${n === 1 ? "1 card" : `${n} cards`}`,
  pile: "pile {n}",
  rack_held: ({ player, n }) => `${player} ${n === 1 ? "1 piece" : `${n} pieces`}`,
  bag: "bag {n}",
  this_turn: "this turn",

  phase_idle: "Start a game and place the first piece",
  phase_clear: "Clear the board",
  phase_clear_more: "Then the next round begins",
  phase_over: ({ winners }) => (winners.length > 1 ? "A tie!" : "The game is won!"),
  wins: ({ winners }) => (winners.length ? `${joined(winners)} ${winners.length > 1 ? "win" : "wins"}!` : "Nobody wins"),
  topple: "Topple!",
  topple_who: "{player} {points}",
  question: "A question",
  answer_no_cell: "nothing was placed",

  heard_turn_roll: "{player} to roll.",
  heard_turn_act: "{player} to play, die {die}.",
  heard_turn: "{player} to play.",
  heard_topolo: ({ n }) => (n === 1 ? "Topolo board with 1 piece" : `Topolo board with ${n} pieces`),
  heard_cube: ({ n }) => (n === 1 ? "Cube with 1 mark" : `Cube with ${n} marks`),
  heard_topominos: ({ n }) => (n === 1 ? "Board with 1 stack" : `Board with ${n} stacks`),
  heard_points: ({ points }) => (points === 1 ? "1 point." : `${points} points.`.replace("-", "minus ")),
  heard_scores: "Score: {scores}.",
  heard_question: "The table asks: {text}",
  heard_tower: ({ n }) => (n === 1 ? "Board with 1 piece" : `Board with ${n} pieces`),
  heard_die: "Die shows {die}",
};

const languages = { en };
const chosen = languages[navigator.language.slice(0, 2)] ?? en;

function joined(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

// Words for a key; the key itself when there are none, so that a gap is seen and nothing breaks.
export function say(key, values = {}) {
  const found = chosen[key] ?? en[key] ?? key;
  if (typeof found === "function") return found(values);
  return found.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

export function knows(key) {
  return key in chosen || key in en;
}
