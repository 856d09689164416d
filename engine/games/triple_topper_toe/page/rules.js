// The rules of Triple Topper Toe for people at the table, in short. Served as
// /static/games/triple-topper-toe/rules.js.

import { range } from "../../board_parts.js";
import { svg } from "../../dom.js";

const LINE = 5; // every cell on the diagonal of a layer

// Four layers of four by four; one line is lit (X7).
export function picture() {
  return svg("svg", { viewBox: "0 0 19 4.6", "aria-hidden": "true" }, ...range(64).map((cell) => {
    const layer = Math.floor(cell / 16), at = cell % 16, lit = layer === 1 && at % LINE === 0;
    return svg("rect", { class: `rule-cell ${lit ? "lit" : "level-3"}`, x: 4.75 * layer + (at % 4) + 0.1, y: 3.4 - Math.floor(at / 4), width: 0.9, height: 0.9, rx: 0.1 });
  }));
}

export const words = {
  en: {
    aim: "Four of your own marks on one line of the cube: straight, diagonal in a layer or upright plane, or from corner to corner.",
    turn: ["X begins; each holds three cards.", "Throw away two or three cards and refill; or draw one, then play one of four and mark an empty cell that it allows.", "In the quiz a question decides whose turn it is."],
    points: ["Four on a line win at once.", "A full cube without a line is a tie; in the quiz more marks win."],
    not: ["The cell is marked already.", "The card shows another row, column or layer; a wild card leaves that open which it does not show.", "Who has drawn must play; one card alone is never thrown away."],
  },
  de: {
    aim: "Vier eigene Zeichen auf einer Linie des Würfels: gerade, schräg in einer Ebene oder von Ecke zu Ecke.",
    turn: ["X beginnt; jeder hat drei Karten.", "Zwei oder drei Karten abwerfen und auffüllen; oder eine ziehen, dann eine von vieren spielen und ein leeres Feld bezeichnen, das sie erlaubt.", "Im Quiz entscheidet eine Frage, wer dran ist."],
    points: ["Vier auf einer Linie gewinnen sofort.", "Ein voller Würfel ohne Linie ist unentschieden; im Quiz gewinnen mehr Zeichen."],
    not: ["Das Feld ist schon bezeichnet.", "Die Karte zeigt eine andere Zeile, Spalte oder Ebene; ein Joker lässt offen, was er nicht zeigt.", "Wer gezogen hat, muss spielen; eine einzelne Karte wird nie abgeworfen."],
  },
  fr: {
    aim: "Quatre de ses marques sur une ligne du cube : droite, en diagonale dans un plan, ou d’un coin à l’autre.",
    turn: ["X commence ; chacun a trois cartes.", "Jeter deux ou trois cartes et compléter ; ou en tirer une, puis en jouer une des quatre et marquer une case vide qu’elle permet.", "Dans le quiz, une question décide à qui est le tour."],
    points: ["Quatre sur une ligne gagnent aussitôt.", "Un cube plein sans ligne est une partie nulle ; dans le quiz, qui a plus de marques gagne."],
    not: ["La case est déjà marquée.", "La carte montre une autre rangée, colonne ou couche ; un joker laisse libre ce qu’il ne montre pas.", "Qui a tiré doit jouer ; on ne jette jamais une seule carte."],
  },
};
