// What a game is called in the language of who looks at it.

import { GAMES } from "./games/facts.js";
import { language } from "./strings.js";

export const gameName = (kind) => GAMES[kind]?.names[language] ?? GAMES[kind]?.title ?? kind;
