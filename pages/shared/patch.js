// Brings a part of the page to what it should show, and keeps every element that is still meant:
// the one under a finger, the one with the focus, a list unfolded, a name half typed. So whoever
// draws says only how all should be now, as often as there is news.

const HEARS = ["onclick", "oninput", "onchange"];
// Set by those who use the page, or once drawn (`play.js`: asleep); not by who draws.
const LEFT_ALONE = ["style", "open", "aria-disabled"];

// Among its neighbours an element is known by its kind and `data-name`, else by its kind and turn.
const key = (node) => `${node.nodeName} ${node.dataset?.name ?? ""}`;

export function patch(place, wanted) {
  const left = new Map();
  for (const node of place.childNodes) left.set(key(node), [...(left.get(key(node)) ?? []), node]);
  const kept = wanted.map((node) => left.get(key(node))?.shift());
  // Before any is moved: an element that is taken out and put back loses the focus.
  for (const node of [...left.values()].flat()) node.remove();
  let at = place.firstChild;
  wanted.forEach((node, index) => {
    const old = kept[index];
    if (old === at && old) at = at.nextSibling;
    else place.insertBefore(old ?? node, at);
    if (old) change(old, node);
  });
}

function change(old, node) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== node.data) old.data = node.data;
    return;
  }
  for (const { name } of [...old.attributes]) if (!node.hasAttribute(name) && !LEFT_ALONE.includes(name)) old.removeAttribute(name);
  for (const { name, value } of node.attributes) if (old.getAttribute(name) !== value && !LEFT_ALONE.includes(name)) old.setAttribute(name, value);
  // Through the style object: the security policy forbids style attributes.
  if (old.style.cssText !== node.style.cssText) old.style.cssText = node.style.cssText;
  for (const name of HEARS) old[name] = node[name];
  patch(old, [...node.childNodes]);
  if (old !== document.activeElement) enter(old, node);
}

// What a field holds, unless somebody is typing there.
function enter(old, node) {
  if (old.nodeName === "SELECT") old.selectedIndex = node.selectedIndex;
  if (old.nodeName === "INPUT") [old.value, old.checked] = [node.value, node.checked];
}
