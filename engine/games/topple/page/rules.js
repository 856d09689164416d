// The rules of Topple for people at the table, in short. Served as /static/games/topple/rules.js.
// Ids in brackets are those of docs/rules.md.

import { range, text } from "../../board_parts.js";
import { svg } from "../../dom.js";

// The board from above, with the level of each cell: what a roll of 1 to 5 allows (T1, T2).
export function picture() {
  return svg("svg", { viewBox: "0 0 5.4 5.4", "aria-hidden": "true" }, ...range(25).flatMap((cell) => {
    const file = cell % 5, rank = Math.floor(cell / 5), level = Math.abs(file - 2) + Math.abs(rank - 2) + 1;
    return [svg("rect", { class: `rule-cell level-${level}`, x: file + 0.35, y: 4.1 - rank, width: 0.94, height: 0.94, rx: 0.1 }),
      text(file + 0.82, 4.57 - rank, String(level), "rule-number")];
  }));
}

export const words = {
  en: {
    aim: "Build a tower on a board that hangs, score with rows and stacks, and do not be the one who brings it down. At the end of a round whoever has reached the target with the most points has won.",
    turn: ["Roll the die.", "Put one of your pieces on a cell that the die allows: 1 is the middle, 5 are the corners, 6 is any cell. Stacks may be of any height.", "Or pass, after the roll."],
    points: ["A row (rank, file or long diagonal) of five is completed: 3, and 1 for each other top of your colour in it.", "A piece is put on a row that is full: 1, and 1 for each other top of your colour in it.", "From the fourth piece of a stack on: 1 for each piece of your colour in it.", "Who topples while placing loses 10, and the player before gets 3. Who bumps the table loses 10. The round is over."],
    not: ["The die shows another level than that of the cell.", "You have no piece of that colour left.", "Nobody passes before rolling."],
  },
  de: {
    aim: "Auf einem Brett, das hängt, einen Turm bauen, mit Reihen und Stapeln punkten, und nicht der sein, der ihn umwirft. Wer am Ende einer Runde das Ziel erreicht und die meisten Punkte hat, gewinnt.",
    turn: ["Würfeln.", "Einen eigenen Stein auf ein Feld setzen, das der Würfel erlaubt: 1 ist die Mitte, 5 sind die Ecken, 6 ist jedes Feld. Stapel dürfen beliebig hoch sein.", "Oder passen, nach dem Wurf."],
    points: ["Eine Reihe (quer, längs oder lange Diagonale) von fünf wird vollendet: 3, und 1 für jeden anderen obersten Stein der eigenen Farbe darin.", "Ein Stein kommt auf eine volle Reihe: 1, und 1 für jeden anderen obersten Stein der eigenen Farbe darin.", "Ab dem vierten Stein eines Stapels: 1 für jeden Stein der eigenen Farbe darin.", "Wer beim Setzen umwirft, verliert 10, und wer vorher dran war, bekommt 3. Wer an den Tisch stößt, verliert 10. Die Runde ist zu Ende."],
    not: ["Der Würfel zeigt eine andere Stufe als die des Feldes.", "Von dieser Farbe ist kein Stein mehr da.", "Vor dem Würfeln passt niemand."],
  },
  fr: {
    aim: "Bâtir une tour sur un plateau suspendu, marquer par des rangées et des piles, et ne pas être celui qui la renverse. À la fin d’une manche, qui a atteint le but avec le plus de points a gagné.",
    turn: ["Lancer le dé.", "Poser une de ses pièces sur une case que le dé permet : 1 est le milieu, 5 sont les coins, 6 est toute case. Les piles montent aussi haut que l’on veut.", "Ou passer, après le lancer."],
    points: ["Une rangée de cinq (ligne, colonne ou grande diagonale) est complétée : 3, et 1 pour chaque autre sommet de sa couleur.", "Une pièce est posée sur une rangée pleine : 1, et 1 pour chaque autre sommet de sa couleur.", "Dès la quatrième pièce d’une pile : 1 pour chaque pièce de sa couleur dans la pile.", "Qui renverse en posant perd 10, et le joueur d’avant reçoit 3. Qui heurte la table perd 10. La manche est finie."],
    not: ["Le dé montre un autre niveau que celui de la case.", "Il ne reste pas de pièce de cette couleur.", "Personne ne passe avant d’avoir lancé le dé."],
  },
};
