// The stream from the scoreboard server. Calls back with every document, and with null when
// the line is lost; the browser reconnects by itself. What passes by between goes to `onTrace`, and
// to `onRefused` what a phone or a button asked of the table in vain.
//
// The stream of the page itself is opened here at once, before the rest of the page's scripts has
// come: on a slow line the first document comes with them and not after them.

const SILENT_AFTER_MS = 25_000; // the server says something at least every 10 s

const [own] = location.pathname.match(/^\/t\/[^/]+(?:\/health(?=$))?|^(?=\/$)/) ?? [];
let early = own === undefined ? null : new EventSource(`${own}/stream`);
let waiting = null; // the newest document that nobody has taken yet
early?.addEventListener("table", ({ data }) => { waiting = data; });

export function follow(path, onDocument, onTrace = () => {}, onRefused = () => {}) {
  let timer = 0;
  const lost = () => onDocument(null);
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(lost, SILENT_AFTER_MS);
  };
  let source;
  const told = (data) => { alive(); onDocument(JSON.parse(data)); };
  const failed = () => {
    lost();
    // After an error status the browser gives up for good; we do not.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen(new EventSource(path)), 3000);
  };
  const listen = (opened) => {
    source?.close();
    source = opened;
    source.addEventListener("open", alive);
    source.addEventListener("beat", () => { alive(); onDocument(undefined); });
    source.addEventListener("table", ({ data }) => told(data));
    source.addEventListener("trace", (event) => { alive(); onTrace(JSON.parse(event.data)); });
    source.addEventListener("refused", (event) => onRefused(JSON.parse(event.data)));
    source.addEventListener("error", failed);
  };
  const ours = early?.url === new URL(path, location).href;
  listen(ours ? early : new EventSource(path));
  if (!ours) return;
  early = null;
  // When all that is to hear of it stands; what failed or came before that is told now.
  queueMicrotask(() => {
    if (waiting !== null) told(waiting);
    else if (source.readyState === EventSource.CLOSED) failed();
  });
}
