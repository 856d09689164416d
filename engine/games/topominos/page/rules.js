// The rules of Topominos for people at the table, in short. Served as
// /static/games/topominos/rules.js.

import { range } from "../../board_parts.js";
import { svg } from "../../dom.js";

const PIECES = ["100010000", "001100010", "010001101"]; // together nine dots, none over another

// Three pieces that complete a stack.
export function picture() {
  return svg("svg", { viewBox: "0 0 10.6 3.4", "aria-hidden": "true" }, ...PIECES.flatMap((dots, number) => [
    svg("rect", { class: "rule-cell level-2", x: 3.6 * number + 0.1, y: 0.1, width: 3.2, height: 3.2, rx: 0.3 }),
    ...range(9).filter((dot) => dots[dot] === "1").map((dot) => svg("circle", { class: "rule-dot", cx: 3.6 * number + 0.7 + (dot % 3), cy: 0.7 + Math.floor(dot / 3), r: 0.32 })),
  ]));
}

export const words = {
  en: {
    aim: "Lay see-through pieces one upon the other so that all nine dots of a compartment are covered and none twice. The highest result wins.",
    turn: ["Begin one empty compartment; or add to stacks, as many as you like; or pass and exchange pieces.", "Pieces may be turned and flipped. At the end of the turn the rack is refilled."],
    points: ["A completed stack: 9; its pieces are set aside.", "Every other stack that was touched: all its dots, pieces below included.", "Each dot left on the rack at the end costs 1."],
    not: ["A dot would lie over another dot.", "Beginning a compartment and adding to stacks do not mix in one turn, unless a stack was completed.", "Who begins a round must place."],
  },
  de: {
    aim: "Durchsichtige Steine so übereinanderlegen, dass alle neun Punkte eines Faches bedeckt sind und keiner doppelt. Das höchste Ergebnis gewinnt.",
    turn: ["Ein leeres Fach beginnen; oder an Stapel anlegen, so viel man will; oder passen und Steine tauschen.", "Steine dürfen gedreht und gewendet werden. Am Ende des Zuges wird die Bank aufgefüllt."],
    points: ["Ein vollendeter Stapel: 9; seine Steine kommen beiseite.", "Jeder andere berührte Stapel: alle seine Punkte, auch die der Steine darunter.", "Jeder Punkt, der am Ende auf der Bank bleibt, kostet 1."],
    not: ["Ein Punkt läge über einem anderen.", "Ein Fach beginnen und an Stapel anlegen geht nicht in einem Zug, außer ein Stapel wurde vollendet.", "Wer eine Runde beginnt, muss legen."],
  },
  fr: {
    aim: "Superposer des pièces transparentes pour que les neuf points d’un compartiment soient couverts, aucun deux fois. Le meilleur résultat gagne.",
    turn: ["Commencer un compartiment vide ; ou ajouter à des piles, autant que l’on veut ; ou passer et échanger des pièces.", "Les pièces peuvent être tournées et retournées. À la fin du tour, on complète son chevalet."],
    points: ["Une pile complétée : 9 ; ses pièces sont mises de côté.", "Toute autre pile touchée : tous ses points, ceux du dessous compris.", "Chaque point resté sur le chevalet à la fin coûte 1."],
    not: ["Un point serait sur un autre.", "Commencer un compartiment et ajouter à des piles ne se mêlent pas dans un tour, sauf si une pile a été complétée.", "Qui commence une manche doit poser."],
  },
};
