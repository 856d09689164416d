// Starting a game: which one, who plays in which colours, to what score, by which house rules.

import { paint } from "./colours.js";
import { el } from "./dom.js";
import { gameName } from "./game_names.js";
import { DEFAULT_GAME, GAMES } from "./games/facts.js";
import { PHONES } from "./games/phone.js";
import { button, choice, column, heading, row, token } from "./play_parts.js";
import { colourWord } from "./play_words.js";
import { knows, say } from "./strings.js";

const COLOURS = ["pink", "yellow", "green", "blue", "red", "orange"];
const MARKS = "●▲■◆";
const LONGEST_NAME = 16;

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
  const kind = app.board?.kind in GAMES ? app.board.kind : DEFAULT_GAME;
  const form = { game: kind, people, young: false, two: false, first: 0, ...(app.board?.kind === kind ? PHONES[kind].remembered?.(app.board) : {}) };
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

const least = (form) => GAMES[form.game].seats[0];
const most = (form) => GAMES[form.game].seats[1];

function fields(form, app, draw) {
  return [
    choice(say("game"), Object.keys(GAMES).map((game) => [game, gameName(game)]), form.game, (game) => {
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
    ...(PHONES[form.game].fields?.(form, draw, dress) ?? []),
    houseRules(form, draw),
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
  const side = GAMES[form.game].sides[seat];
  const badges = PHONES[form.game].coloured
    ? person.colours.map((colour, index) => button(token(colour, { mark: MARKS[seat], hollow: index > 0 }, "large"), () => {
      person.colours[index] = nextColour(form, colour);
      draw(`colour-${seat}-${index}`);
    }, { kind: "swatch", name: `colour-${seat}-${index}`, "aria-label": say("pair", { name: say(index ? "second_colour_of" : "colour_of", { n: seat + 1 }), value: colourWord(colour) }) }))
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

function houseRules(form, draw) {
  const rules = Object.entries(GAMES[form.game].options);
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
  const names = form.people.map((person) => person.name), { sides } = GAMES[form.game];
  const seated = sides.length ? Object.fromEntries(sides.map((side, seat) => [side, names[seat]])) : { players: names };
  return { game: form.game, ...(Object.keys(form.options).length ? { options: form.options } : {}), ...seated, ...PHONES[form.game].opening?.(form) };
}
