// The film of the last topple: the tower in slow motion, leaning as the sensors saw it, with the
// curve of its tilt below. It can be watched again and saved, as a picture or as a clip.

import { calm, el } from "./dom.js";
import { seatPaint } from "./colours.js";
import { download } from "./download.js";
import { FilmScene, fallFrame } from "./film_scene.js";
import { number, say } from "./strings.js";

const WIDTH = 960, HEIGHT = 720, CURVE = 130; // of the canvas; the curve lies at its foot
const SLOWER = 3; // than it was
const LEAD_S = 0.8; // shown before the jolt
const TURN_RAD = Math.PI / 4, TURNING_RAD = 0.35; // the corner a1 in front; the eye goes round by so much
const PICTURE_S = 0.12; // after the first piece has gone
const CLIP = { type: "video/webm", frames_s: 30 };

export class FilmPlayer {
  // `look` gives the board whose names and scores stand in the picture, `day` its date; `onClose` is
  // told when the film has been put away; `load` gives the film, or null.
  constructor(place, table, { look, day = () => new Date(), onClose = () => {}, load = () => newest(table) }) {
    Object.assign(this, { place, table, look, day, onClose, load, film: null, asked: 0 });
    this.canvas = el("canvas", { width: WIDTH, height: HEIGHT, role: "img" });
    this.ink = this.canvas.getContext("2d");
    const press = (key, act) => {
      const button = el("button", { type: "button", name: key }, say(key));
      button.addEventListener("click", act);
      return button;
    };
    this.close_button = press("film_close", () => this.close());
    this.buttons = el("div", { class: "film-buttons" },
      press("film_again", () => { this.by_itself = false; this.play(); }),
      press("film_picture", () => { this.by_itself = false; this.savePicture(); }),
      globalThis.MediaRecorder && this.canvas.captureStream ? press("film_clip", () => this.saveClip()) : null,
      this.close_button);
    place.setAttribute("role", "dialog");
    place.setAttribute("aria-label", say("film"));
    place.replaceChildren(this.canvas, el("p", { class: "film-note" }, say("film_note")), this.buttons);
    place.addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); });
  }

  get open() {
    return !this.place.hidden;
  }

  // Fetches the film and shows it; whether there was one. `by_itself`: it closes at its end.
  async show({ by_itself = false } = {}) {
    const asked = ++this.asked;
    const film = await this.load();
    if (!film || asked !== this.asked) return false;
    this.#take(film);
    this.scene = new FilmScene(film);
    this.fall_s = fallFrame(film) * film.every_s;
    this.place.hidden = false;
    this.by_itself = by_itself;
    if (!by_itself) this.close_button.focus();
    this.play().then(() => this.putAway());
    return true;
  }

  // While it is open it may become known who did it. `newest`: of which topple there is a film now.
  async renew(newest) {
    if (!this.open || newest !== this.film.seq) return;
    const asked = this.asked, film = await this.load();
    if (film?.seq !== newest || asked !== this.asked) return;
    this.#take(film);
    this.#draw(Number(this.place.dataset.at));
  }

  #take(film) {
    this.film = film;
    this.canvas.setAttribute("aria-label", `${title(film)}. ${say("film_hope", figures(film))}`);
  }

  // What was shown by itself goes by itself.
  putAway() {
    if (this.by_itself) this.close();
  }

  close() {
    if (!this.open) return;
    this.asked++;
    cancelAnimationFrame(this.next);
    this.place.hidden = true;
    if (!this.by_itself) this.onClose();
  }

  // From the beginning; resolves at the end. Where nothing may move it shows the steepest moment.
  play() {
    cancelAnimationFrame(this.next);
    if (calm()) {
      this.#draw(this.fall_s + PICTURE_S);
      return Promise.resolve();
    }
    const { begin_s, end_s } = this.#span();
    return new Promise((done) => {
      let began_ms;
      const frame = (now_ms) => {
        began_ms ??= now_ms;
        const at_s = begin_s + (now_ms - began_ms) / 1000 / SLOWER;
        this.#draw(Math.min(at_s, end_s));
        if (at_s < end_s) this.next = requestAnimationFrame(frame);
        else done();
      };
      this.next = requestAnimationFrame(frame);
    });
  }

  savePicture() {
    cancelAnimationFrame(this.next);
    this.#draw(this.fall_s + PICTURE_S);
    this.canvas.toBlob((picture) => download(picture, `${this.#name()}.png`));
  }

  async saveClip() {
    this.by_itself = false;
    const parts = [], recorder = new MediaRecorder(this.canvas.captureStream(CLIP.frames_s), { mimeType: CLIP.type });
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    const stopped = new Promise((done) => recorder.addEventListener("stop", done));
    recorder.start();
    await this.play();
    recorder.stop();
    await stopped;
    download(new Blob(parts, { type: CLIP.type }), `${this.#name()}.webm`);
  }

  #name() {
    return `topple-${this.table}-${this.film.seq}`;
  }

  #span() {
    return { begin_s: Math.max(0, this.film.jolt_s - LEAD_S), end_s: (this.film.tilt_deg.length - 1) * this.film.every_s };
  }

  #draw(at_s) {
    const { ink, film } = this, { begin_s, end_s } = this.#span();
    const tilt_deg = between(film.tilt_deg, at_s / film.every_s);
    const progress = (at_s - begin_s) / (end_s - begin_s);
    this.place.dataset.at = at_s.toFixed(2);
    ink.fillStyle = "#14101f";
    ink.fillRect(0, 0, WIDTH, HEIGHT);
    ink.save();
    this.scene.draw(ink, {
      width: WIDTH, height: HEIGHT - CURVE, tilt_deg,
      turn_rad: TURN_RAD + TURNING_RAD * (progress - 0.5), sinceFall_s: at_s - this.fall_s,
    });
    ink.restore();
    write(ink, title(film), 28, 52, "700 34px sans-serif", "#fdf8ee", WIDTH - 240);
    this.#sign();
    write(ink, say("bubble_degrees", { degrees: number(Math.hypot(...tilt_deg), 1) }), WIDTH - 28, 62, "800 52px sans-serif", "#ffd28a", 200, "right");
    curve(ink, film, at_s, begin_s);
  }

  // Whoever is sent the picture sees what it is of.
  #sign() {
    const { ink, film, table } = this, board = this.look(), day = this.day().toLocaleDateString(document.documentElement.lang, { dateStyle: "medium" });
    const where = [film.round ? say("round", film) : "", say("table", { table })].filter(Boolean).join(" · ");
    write(ink, where, 28, 88, "500 22px sans-serif", "#bdb2d6", 340);
    write(ink, day, WIDTH - 28, 96, "500 22px sans-serif", "#bdb2d6", 200, "right");
    if (board?.game !== film.game) return;
    board.players.forEach((player, seat) => {
      const y = 132 + 40 * seat, score = player.score === null ? "" : number(player.score);
      Object.assign(ink, { fillStyle: seatPaint(player, seat) });
      ink.fillRect(28, y - 22, 8, 28);
      ink.font = "800 28px sans-serif";
      write(ink, score, 48, y, ink.font, "#fdf8ee", 90);
      write(ink, player.name, 58 + Math.min(90, ink.measureText(score).width), y, "500 26px sans-serif", "#fdf8ee", 240);
    });
  }
}

const newest = (table) => fetch(`/t/${table}/film.json`).then((reply) => (reply.ok ? reply.json() : null)).catch(() => null);
const figures = (film) => ({ degrees: number(film.steepest_deg, 1), seconds: number(film.hope_s, 1) });

function title(film) {
  if (!film.player) return say("film_nobody");
  return say(film.cause === "bump" ? "film_bump" : "film_placing", film);
}

// The pair between two frames.
function between(pairs, at) {
  const first = Math.max(0, Math.min(pairs.length - 1, Math.floor(at))), second = Math.min(pairs.length - 1, first + 1);
  const share = Math.min(1, at - first);
  return [0, 1].map((axis) => pairs[first][axis] * (1 - share) + pairs[second][axis] * share);
}

// The tilt over time: what is still to come is faint; the words come with the steepest moment.
function curve(ink, film, at_s, begin_s) {
  const tilts = film.tilt_deg.map((pair) => Math.hypot(...pair)), highest = Math.max(6, ...tilts) * 1.15;
  const end_s = (tilts.length - 1) * film.every_s, foot = HEIGHT - 14, left = 28, right = WIDTH - 28;
  const x = (t_s) => left + ((t_s - begin_s) / (end_s - begin_s)) * (right - left);
  const y = (deg) => foot - (deg / highest) * (CURVE - 20);
  const line = (until_s, colour, width) => {
    ink.beginPath();
    tilts.forEach((deg, frame) => {
      const t_s = frame * film.every_s;
      if (t_s >= begin_s && t_s <= until_s) ink.lineTo(x(t_s), y(deg));
    });
    Object.assign(ink, { strokeStyle: colour, lineWidth: width, lineJoin: "round" });
    ink.stroke();
  };
  Object.assign(ink, { fillStyle: "#221a35" });
  ink.fillRect(0, HEIGHT - CURVE, WIDTH, CURVE);
  line(end_s, "#5b4d7a", 3);
  line(at_s, "#ff8f5a", 5);
  const steepest_s = film.jolt_s + film.hope_s;
  if (at_s < steepest_s) return;
  ink.fillStyle = "#ffd28a";
  ink.beginPath();
  ink.arc(x(steepest_s), y(film.steepest_deg), 8, 0, 2 * Math.PI);
  ink.fill();
  const late = x(steepest_s) > WIDTH * 0.55;
  write(ink, say("film_hope", figures(film)), x(steepest_s) + (late ? -20 : 20), HEIGHT - CURVE + 38, "700 28px sans-serif", "#ffd28a", WIDTH * 0.5, late ? "right" : "left");
}

function write(ink, words, x, y, font, colour, widest, align = "left") {
  Object.assign(ink, { font, fillStyle: colour, textAlign: align });
  ink.fillText(words, x, y, widest);
}
