// Dark as an evening, or light for bright rooms: `?theme=light`, a button or the key l; remembered
// for this browser.

import { keep, recall } from "./remember.js";
import { say } from "./strings.js";

const asked = new URLSearchParams(location.search).get("theme");
let theme = [asked, recall("theme")].find((one) => ["light", "dark"].includes(one)) ?? "dark";
document.documentElement.dataset.theme = theme;

// Key l, and the button where there is one.
export function themeButton(button) {
  const label = () => {
    document.documentElement.dataset.theme = theme;
    if (!button) return;
    button.textContent = theme === "dark" ? "☀" : "☾";
    button.setAttribute("aria-label", say(theme === "dark" ? "theme_light" : "theme_dark"));
    button.title = say("theme_key");
  };
  const turn = () => {
    theme = theme === "dark" ? "light" : "dark";
    keep("theme", theme);
    label();
  };
  button?.addEventListener("click", turn);
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "l" && !event.ctrlKey && !event.metaKey && !event.altKey) turn();
  });
  label();
}
