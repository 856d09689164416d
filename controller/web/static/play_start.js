// Starting a game: which one, who plays in which colours, to what score, by which house rules.

import { paint } from "./colours.js";
import { el } from "./dom.js";
import { button, column, heading, row, token } from "./play_parts.js";
import { colourWord, knows, say } from "./play_words.js";

const GAMES = ["topple", "topolo", "triple-topper-toe", "topominos"];
const COLOURS = ["pink", "yellow", "green", "blue", "red", "orange"];
const MARKS = "●▲■◆";
const TARGETS = [40, 70, 100, 150];
const LONGEST_NAME = 16;
const SIDES = { topolo: ["red", "black"], "triple-topper-toe": ["x", "o"] };
const MATCHES = [null, 2, 3, 5];

// What is entered is kept in `app.form`, from the first touch on until the game it is for has been
// started, or whoever entered it lets go; till then the form is as the last game was.
export function startPanel(app) {
  if (!app.form?.touched) app.form = { ...remembered(app), options: {}, touched: false };
  const { form } = app;
  const draw = (focus) => {
    form.touched = true;
    app.redraw();
    if (focus) document.querySelector(`#panel [data-name="${focus}"]`)?.focus();
  };
  const toGame = () => { app.form = null; app.show(null); };
  return [...heading(say("start")), column(...fields(form, app, draw)),
    app.playing() ? row(button(say("to_game"), toGame, { kind: "wide", name: "back" })) : null];
}

function remembered(app) {
  const last = app.board?.players ?? [];
  const people = last.map((player) => ({ name: player.name, colours: player.colours.filter((colour) => COLOURS.includes(colour)) }));
  while (people.length < 2) people.push({ name: "", colours: [] });
  const kind = app.board?.kind ?? "topple";
  const form = { game: kind, people, target: app.board?.target ?? 100, young: false, two: false, first: 0, variant: "standard", match: null };
  dress(form);
  return form;
}

// Everybody has as many colours as the version wants, and none is worn twice.
function dress(form) {
  const wanted = form.two && form.people.length === 2 ? 2 : 1, worn = new Set();
  for (const person of form.people) person.colours = person.colours.slice(0, wanted).filter((colour) => !worn.has(colour) && worn.add(colour));
  for (const person of form.people)
    while (person.colours.length < wanted) {
      const free = COLOURS.find((colour) => !worn.has(colour));
      person.colours.push(free);
      worn.add(free);
    }
}

const most = (form) => (SIDES[form.game] ? 2 : 4);
const least = (form) => (form.game === "topominos" ? 1 : 2);

function fields(form, app, draw) {
  return [
    choice(say("game"), GAMES.map((game) => [game, say(`game_${game}`)]), form.game, (game) => {
      form.game = game;
      form.people.splice(most(form));
      while (form.people.length < least(form)) form.people.push({ name: "", colours: [] });
      form.first = Math.min(form.first, form.people.length - 1);
      dress(form);
      draw(game);
    }, "games"),
    el("h3", {}, say("players")),
    el("div", { class: "people" }, ...form.people.map((person, seat) => personRow(form, person, seat, draw))),
    form.people.length < most(form) ? button(`+ ${say("add_player")}`, () => {
      form.people.push({ name: "", colours: [] });
      form.two = false;
      dress(form);
      draw(`name-${form.people.length - 1}`);
    }, { kind: "quiet", name: "add" }) : null,
    ...(form.game === "topple" ? toppleFields(form, draw) : []),
    form.game === "triple-topper-toe" ? choice(say("variant"), ["standard", "quiz"].map((one) => [one, say(`variant_${one}`)]), form.variant, (one) => { form.variant = one; draw(one); }) : null,
    form.game === "topominos" ? choice(say("match"), MATCHES.map((n) => [String(n), n ? say("match_rounds", { n }) : say("match_none")]), String(form.match), (n) => { form.match = n === "null" ? null : Number(n); draw(n); }) : null,
    houseRules(form, app, draw),
    el("p", { class: "said-here", role: "alert" }, form.complaint ?? ""),
    button(say("start_go"), () => {
      form.complaint = complaint(form);
      draw();
      if (!form.complaint) app.act("start", opening(form));
    }, { kind: "big primary", acts: true, allowed: app.can("start") }),
  ].filter(Boolean);
}

function personRow(form, person, seat, draw) {
  const name = el("input", { type: "text", value: person.name, maxlength: LONGEST_NAME, autocomplete: "off", autocapitalize: "words", spellcheck: "false",
    enterkeyhint: "next", "aria-label": say("player_name", { n: seat + 1 }), placeholder: say("player_name", { n: seat + 1 }), "data-name": `name-${seat}` });
  name.oninput = ({ target }) => { person.name = target.value.trim(); draw(); };
  const side = SIDES[form.game]?.[seat];
  const badges = form.game === "topple"
    ? person.colours.map((colour, index) => button(token(colour, { mark: MARKS[seat], hollow: index > 0 }, "large"), () => {
      person.colours[index] = nextColour(form, colour);
      draw(`colour-${seat}-${index}`);
    }, { kind: "swatch", name: `colour-${seat}-${index}`, "aria-label": `${say(index ? "second_colour_of" : "colour_of", { n: seat + 1 })}: ${colourWord(colour)}` }))
    : [el("span", { class: "side", style: { "--colour": paint(side ?? ["red", "blue", "yellow", "green"][seat]) } }, side ? say(`side_${side}`) : MARKS[seat])];
  const remove = form.people.length > least(form) ? button("✕", () => {
    form.people.splice(seat, 1);
    form.first = 0;
    dress(form);
    draw("add");
  }, { kind: "quiet small", name: `remove-${seat}`, "aria-label": say("remove_player", { player: person.name || seat + 1 }) }) : null;
  return el("div", { class: "person" }, ...badges, name, ...(remove ? [remove] : []));
}

function nextColour(form, colour) {
  const worn = new Set(form.people.flatMap((person) => person.colours));
  for (let step = 1; step < COLOURS.length; step++) {
    const next = COLOURS[(COLOURS.indexOf(colour) + step) % COLOURS.length];
    if (!worn.has(next)) return next;
  }
  return colour;
}

function toppleFields(form, draw) {
  const two = form.people.length === 2 && !form.young ? switchRow(say("two_colours"), form.two, (on) => { form.two = on; dress(form); draw("two"); }, "two") : null;
  return [
    choice(say("target_points"), [...TARGETS.map((n) => [String(n), String(n)]), ["young", "∞"]], form.young ? "young" : String(form.target), (chosen) => {
      form.young = chosen === "young";
      if (form.young) form.two = false;
      else form.target = Number(chosen);
      dress(form);
      draw(chosen);
    }, "targets", { young: say("target_none") }),
    form.young ? el("p", { class: "note" }, say("target_none")) : null,
    choice(say("begins"), form.people.map((person, seat) => [String(seat), person.name || `${seat + 1}`]), String(form.first), (seat) => { form.first = Number(seat); draw(`begins-${seat}`); }, "begins", {}, "begins-"),
    two,
  ].filter(Boolean);
}

// Buttons of which one is chosen.
function choice(title, options, chosen, tap, kind = "", labels = {}, prefix = "") {
  return el("div", { class: `choice ${kind}`, role: "group", "aria-label": title }, el("h3", {}, title),
    row(...options.map(([value, words]) => button(words, () => tap(value), { kind: "pick", pressed: value === chosen, name: prefix + value, "aria-label": labels[value] ?? false }))));
}

function switchRow(words, on, tap, name) {
  const box = el("input", { type: "checkbox", "data-name": name, checked: on });
  box.onchange = ({ target }) => tap(target.checked);
  return el("label", { class: "switch" }, el("span", {}, words), box);
}

function houseRules(form, app, draw) {
  const rules = Object.entries(app.rules?.options?.[form.game] ?? {});
  if (!rules.length) return null;
  return el("details", { class: "rules" }, el("summary", {}, say("house_rules")), ...rules.map(([name, values]) => {
    const select = el("select", {}, ...values.map((value, at) => el("option", { value: at, selected: (form.options[name] ?? values[0]) === value },
      knows(`option_${name}_${value}`) ? say(`option_${name}_${value}`) : String(value))));
    select.onchange = ({ target }) => { form.options[name] = values[Number(target.value)]; draw(); };
    return el("label", {}, el("span", {}, knows(`option_${name}`) ? say(`option_${name}`) : name), select);
  }));
}

function complaint(form) {
  const names = form.people.map((person) => person.name);
  if (names.some((name) => !name) || new Set(names).size < names.length) return say("name_missing");
  return "";
}

function opening(form) {
  const names = form.people.map((person) => person.name);
  const known = Object.entries(form.options);
  const shared = { game: form.game, ...(known.length ? { options: Object.fromEntries(known) } : {}) };
  if (form.game === "topple")
    return { ...shared, players: form.people.map(({ name, colours }) => ({ name, colours })), first: form.first, target: form.young ? null : form.target };
  if (form.game === "topominos")
    return { ...shared, players: names, pieces: "default", match: form.match ? { rounds: form.match } : null };
  const sides = Object.fromEntries(SIDES[form.game].map((side, seat) => [side, names[seat]]));
  return form.game === "topolo" ? { ...shared, ...sides } : { ...shared, ...sides, variant: form.variant };
}
