// Small helpers to build elements. Words are always set as text, never as markup, so that a
// player may be called "<b>Bob</b>".

const SVG = "http://www.w3.org/2000/svg";

export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    // Through the style object: the security policy forbids style attributes.
    if (name === "style") for (const [key, css] of Object.entries(value)) node.style.setProperty(key, css);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== false));
  return node;
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
