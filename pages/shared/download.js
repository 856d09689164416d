// Gives a file that this page has made to whoever looks at it.

import { el } from "./dom.js";

export function download(blob, name) {
  const url = URL.createObjectURL(blob), link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
