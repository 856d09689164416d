// Heap of Pearls on a phone. Served as /static/games/heap-of-pearls/phone.js.

import { learn, say } from "../../strings.js";
import { act, legal, title, waiting } from "../../play_hand.js";
import { button, column, heading } from "../../play_parts.js";

learn({
  en: { take_pearls: "Take {n}", dip_pearls: "Dip in", my_wish: "You wish for {n}", option_heap: "Heap", option_heap_low: "low" },
  de: { take_pearls: "Nimm {n}", dip_pearls: "Greif hinein", my_wish: "Du wünschst dir {n}", option_heap: "Haufen", option_heap_low: "flach" },
  fr: { take_pearls: "Prends {n}", dip_pearls: "Pioche", my_wish: "Tu souhaites {n}", option_heap: "Tas", option_heap_low: "bas" },
});

export function panel(app) {
  const { wish } = app.hand?.view ?? {};
  const takes = legal(app, "take").map((one) => button(say("take_pearls", { n: one.pearls }), () => act(app, one), { acts: true, name: `take-${one.pearls}` }));
  const dips = legal(app, "dip").map((one) => button(say("dip_pearls"), () => act(app, one), { acts: true, name: "dip" }));
  return [...heading(title(app), wish ? say("my_wish", { n: wish }) : null), app.can("action") ? column(...takes, ...dips) : waiting(app)];
}
