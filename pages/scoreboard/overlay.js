// The overlay for a broadcast (OBS and the like): players, the last event and the great moments on
// a page that is transparent otherwise. It shows and cannot touch.

import { fellAtOnce } from "./falls.js";
import { follow } from "./feed.js";
import { showMoment } from "./moment.js";
import { outdated } from "./notices.js";
import { showPlayers } from "./players.js";
import { say } from "./strings.js";
import { showTicker } from "./ticker.js";

const id = (name) => document.getElementById(name);
const table = decodeURIComponent(location.pathname.split("/")[2]);
const MOMENTS = ["clear", "over"];
let shown = null, fallen = false;
id("title").textContent = say("table", { table });

follow(`/t/${table}/stream`, (view) => {
  if (view === undefined) return;
  document.body.classList.toggle("old", outdated(id("notices"), view));
  const board = view?.board;
  if (!board) return;
  const follows = shown !== null && shown.boot === board.boot && shown.game === board.game;
  const happened = follows && board.seq > shown.seq;
  showPlayers(id("players"), board, happened);
  showTicker(id("ticker"), board);
  const going = view.suspected !== undefined;
  fallen = follows && (happened ? fellAtOnce(board, shown) : fallen);
  if (going || fallen || MOMENTS.includes(board.phase)) showMoment(id("moment"), board, { going, fallen });
  else id("moment").hidden = true;
  if (id("moment").hidden) delete id("moment").dataset.key;
  shown = board;
  document.body.dataset.rev = board.rev;
});
