// On a screen without a window around it (a kiosk, a television) the links are for whoever sets it
// up, not for those who play, and upright they take two lines: there they fold into a menu, and the
// heading is free for the game.

const KIOSK = matchMedia("(display-mode: fullscreen), (max-aspect-ratio: 1/1)");

export function menuOnKiosk(button, nav) {
  const open = (wanted) => {
    nav.classList.toggle("open", wanted);
    button.setAttribute("aria-expanded", String(wanted));
  };
  const set = () => {
    document.body.classList.toggle("kiosk", KIOSK.matches);
    open(false);
  };
  button.addEventListener("click", () => open(button.getAttribute("aria-expanded") === "false"));
  document.addEventListener("click", ({ target }) => { if (!button.contains(target)) open(false); });
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !nav.classList.contains("open")) return;
    open(false);
    button.focus({ preventScroll: true });
  });
  KIOSK.addEventListener("change", set);
  set();
}
