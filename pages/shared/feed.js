// The stream from the scoreboard server. Calls back with every document, and with null when
// the line is lost; the browser reconnects by itself. `onTrace` gets what passes by between.

const SILENT_AFTER_MS = 25_000; // the server says something at least every 10 s

export function follow(path, onDocument, onTrace = () => {}) {
  let timer = 0;
  const lost = () => onDocument(null);
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(lost, SILENT_AFTER_MS);
  };
  let source;
  const open = () => {
    source?.close();
    source = new EventSource(path);
    source.addEventListener("open", alive);
    source.addEventListener("beat", () => { alive(); onDocument(undefined); });
    source.addEventListener("table", (event) => { alive(); onDocument(JSON.parse(event.data)); });
    source.addEventListener("trace", (event) => { alive(); onTrace(JSON.parse(event.data)); });
    source.addEventListener("error", () => {
      lost();
      // After an error status the browser gives up for good; we do not.
      if (source.readyState === EventSource.CLOSED) setTimeout(open, 3000);
    });
  };
  open();
}
