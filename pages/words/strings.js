// The words of the pages, in the language of who looks at them: `?lang=` first, then what was chosen
// in this browser, then what the browser asks for. The server chooses alike (pages/packed.py) and
// sends the words of that language only; a kept game has all of them. A language is one file, `<tag>.json`, with the
// keys of en.json and of the table's troubles: a text, or one for each plural form of the language.
// `{name}` is filled in. In French the spaces before ! ? : ; % are narrow and unbreakable.

import { LANGUAGES, TONGUES } from "./languages.js";

export { LANGUAGES, TONGUES };

const KEPT_S = 400 * 24 * 3600; // the longest that browsers keep a cookie

const asked = new URLSearchParams(location.search).get("lang");
export const language = pick([asked, cookie(), ...navigator.languages]);
const chosen = LANGUAGES[language];
const en = LANGUAGES.en ?? {};
const plural = new Intl.PluralRules(language);
document.documentElement.lang = language;

export function pick(wanted) {
  const short = wanted.filter(Boolean).map((tag) => tag.slice(0, 2).toLowerCase());
  return short.find((tag) => tag in LANGUAGES) ?? ("en" in LANGUAGES ? "en" : Object.keys(LANGUAGES)[0]);
}

// What was chosen in this browser; in a cookie, since the server must know it too.
function cookie() {
  return document.cookie.match(/(?:^|; )language=(\w+)/)?.[1];
}

// What the table said ({ reason, code, args }): by its code, or as it was said where there are no
// words for it.
export const worded = (said) => (translates(said) ? say(`trouble_${said.code}`, named(said.args)) : said.reason);
const translates = ({ code }) => Boolean(code) && `trouble_${code}` in chosen;

// Arguments that are words too: `button: "undo"` is said as `button_undo`.
function named(args = {}) {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, knows(`${name}_${value}`) ? say(`${name}_${value}`) : value]));
}

// The language in which `worded` gives it.
export const tongueOf = (said) => (translates(said) ? language : "en");

// From now on this browser shows the pages in that language; this one begins anew.
export function choose(tag) {
  const address = new URL(location.href);
  document.cookie = `language=${tag}; path=/; max-age=${KEPT_S}; samesite=lax`;
  if (cookie() === tag) address.searchParams.delete("lang");
  else address.searchParams.set("lang", tag);
  location.replace(address);
}

// Words that a game brings along, language by language (page/ in its folder).
export function learn(words) {
  for (const [tag, more] of Object.entries(words)) Object.assign(tag === "en" ? en : (LANGUAGES[tag] ?? {}), more);
}

// Words for a key; the key itself when there are none, so that a gap is seen and nothing breaks.
// Where words must agree with a number, `n` is that number.
export function say(key, values = {}) {
  const found = chosen[key] ?? en[key] ?? key;
  const text = typeof found === "string" ? found : (found[plural.select(Math.abs(values.n ?? 0))] ?? found.other);
  return text.replace(/\{(\w+)\}/g, (_, name) => shown(values[name]));
}

export function knows(key) {
  return key in chosen || key in en;
}

function shown(value) {
  if (typeof value === "number") return number(value);
  if (Array.isArray(value)) return new Intl.ListFormat(language).format(value.map(apart));
  return apart(String(value ?? ""));
}

// A name written from right to left would take the figures after it to its other side; so it stands
// between Unicode's signs for that (isolates).
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const apart = (text) => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

// As the language writes it: 1,234.5 or 1.234,5; with a true minus sign.
// With `digits` it has just so many decimals, else as many as it needs, up to three.
export function number(value, digits) {
  const text = new Intl.NumberFormat(language, { minimumFractionDigits: digits ?? 0, maximumFractionDigits: digits ?? 3 });
  return text.format(value).replace("-", "−");
}

// Points gained or lost, with their sign.
export function signed(points) {
  return (points > 0 ? "+" : "") + number(points);
}

// 0.9996 is not a hundred per cent.
export function percent(p) {
  const rounded = p >= 0.995 && p < 1 ? Math.floor(p * 1000) / 10 : Math.round(p * 100);
  return say("percent", { percent: number(rounded, Number.isInteger(rounded) ? 0 : 1) });
}

export function wins(winners) {
  return winners.length ? say("wins", { n: winners.length, winners }) : say("wins_nobody");
}

// For ears: a true minus sign is silence to many voices.
export function spoken(n) {
  return n < 0 ? say("heard_minus", { n: -n }) : number(n);
}

// A link of ours, in the language that was asked for.
export function here(path) {
  return asked ? `${path}?lang=${encodeURIComponent(language)}` : path;
}

// Fills what the page itself leaves open: data-say="key" the text, data-say-label the label.
export function sayAll(root = document) {
  for (const node of root.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  for (const node of root.querySelectorAll("[data-say-label]")) node.setAttribute("aria-label", say(node.dataset.sayLabel));
}
