// The rules of Topolo for people at the table, in short. Served as /static/games/topolo/rules.js.

import { range } from "../../board_parts.js";
import { svg } from "../../dom.js";

// Eight rows, of which every second is filled first (P1).
export function picture() {
  return svg("svg", { viewBox: "0 0 8.4 8.4", "aria-hidden": "true" }, ...range(64).map((cell) => {
    const file = cell % 8, rank = Math.floor(cell / 8);
    return svg("rect", { class: `rule-cell ${rank % 2 ? "level-5" : "level-1"}`, x: file + 0.2, y: 7.2 - rank, width: 0.92, height: 0.92, rx: 0.1 });
  }));
}

export const words = {
  en: {
    aim: "When the board is full, whoever has the larger largest group wins. A group is pieces of one colour that touch along sides.",
    turn: ["Red begins; one piece in turn, on an empty square. Nothing moves and nobody passes.", "Every second row is filled first: the odd ones or the even ones, as Red's first piece decides."],
    points: ["Equally large groups: the heights decide (small 1, middle 2, large 3).", "Then the second largest groups, and so on. If all is equal, it is a draw."],
    not: ["The square is taken.", "The rows of the other kind come later, when the first half is full.", "No piece of this size is left: there are 16 small, 8 middle and 8 large ones."],
  },
  de: {
    aim: "Ist das Brett voll, gewinnt, wer die größere größte Gruppe hat. Eine Gruppe sind Steine einer Farbe, die sich mit Seiten berühren.",
    turn: ["Rot beginnt; abwechselnd ein Stein auf ein leeres Feld. Nichts wird verschoben, niemand passt.", "Jede zweite Reihe wird zuerst gefüllt: die ungeraden oder die geraden, wie es der erste rote Stein bestimmt."],
    points: ["Bei gleich großen Gruppen entscheiden die Höhen (klein 1, mittel 2, groß 3).", "Dann die zweitgrößten Gruppen, und so weiter. Ist alles gleich, ist es unentschieden."],
    not: ["Das Feld ist besetzt.", "Die anderen Reihen kommen später, wenn die erste Hälfte voll ist.", "Von dieser Größe ist kein Stein mehr da: Es gibt 16 kleine, 8 mittlere und 8 große."],
  },
  fr: {
    aim: "Quand le plateau est plein, qui a le plus grand groupe gagne. Un groupe, ce sont des pièces d’une couleur qui se touchent par les côtés.",
    turn: ["Rouge commence ; une pièce chacun, sur une case vide. Rien ne bouge et personne ne passe.", "Une rangée sur deux se remplit d’abord : les impaires ou les paires, selon la première pièce rouge."],
    points: ["Groupes égaux : les hauteurs décident (petite 1, moyenne 2, grande 3).", "Puis les deuxièmes groupes, et ainsi de suite. Si tout est égal, la partie est nulle."],
    not: ["La case est prise.", "Les autres rangées viennent plus tard, quand la première moitié est pleine.", "Il ne reste pas de pièce de cette taille : il y en a 16 petites, 8 moyennes et 8 grandes."],
  },
};
