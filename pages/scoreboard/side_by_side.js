// Two tables on one screen: `?tables=attic,cellar`, or else the first two that there are.

import { el } from "./dom.js";
import { follow } from "./feed.js";
import { here, say } from "./strings.js";

const MOST = 2;
const TABLE = /^[a-z0-9-]{1,32}$/;
const place = document.getElementById("tables");
const asked = (new URLSearchParams(location.search).get("tables") ?? "").split(",").filter((table) => TABLE.test(table));

document.getElementById("title").textContent = say("side_by_side");

if (asked.length) show(asked);
else follow("/stream", (list) => { if (list) show(list.tables.map(({ table }) => table)); });

// A frame that is there already stays: its page must not begin anew with each change of the list.
function show(tables) {
  const wanted = tables.slice(0, MOST);
  if (!wanted.length) return place.replaceChildren(el("p", { class: "empty" }, say("tables_none")));
  if (place.dataset.tables === wanted.join()) return;
  place.dataset.tables = wanted.join();
  place.replaceChildren(...wanted.map((table) => el("iframe", { src: here(`/t/${table}`), title: say("table", { table }) })));
}
