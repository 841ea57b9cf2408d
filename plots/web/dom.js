// Small helpers for elements.

const SVG = "http://www.w3.org/2000/svg";

// html makes an element with attributes, listeners (functions), and children (elements or texts).
export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// svg makes an element of a figure.
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((c) => c !== null && c !== undefined));
  return element;
}

// button makes a button that says whether it is pressed, unless pressed is undefined.
export function button(label, pressed, click, title) {
  return html("button", { type: "button", "aria-pressed": pressed === undefined ? null : String(pressed), title, click }, ...[].concat(label));
}

// press changes whether a button is pressed.
export const press = (b, on) => b.setAttribute("aria-pressed", String(on));

// scripts turns a text with ^{...} and _{...} into nodes.
export function scripts(text) {
  const nodes = [];
  let last = 0;
  for (const m of text.matchAll(/([\^_])\{([^}]*)\}/g)) {
    nodes.push(text.slice(last, m.index), html(m[1] === "^" ? "sup" : "sub", {}, m[2]));
    last = m.index + m[0].length;
  }
  nodes.push(text.slice(last));
  return nodes;
}

// plain is a text without the braces of superscripts and subscripts.
export const plain = (text) => text.replace(/\^\{([^}]*)\}/g, "^$1").replace(/_\{([^}]*)\}/g, "$1");

let saying;

// say speaks a text to a screen reader, after the reader has stopped moving for a moment.
export function say(text) {
  clearTimeout(saying);
  saying = setTimeout(() => (document.getElementById("spoken").textContent = text), 120);
}

// still reports whether the reader wants no motion.
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// show scrolls to an element. Sections on the way get their heights, and figures come alive, only when they are near the window: it
// scrolls again until that is done, or until the reader does something.
export function show(element) {
  for (let d = element.closest("details"); d; d = d.parentElement.closest("details")) if (!d.contains(document.activeElement)) d.open = true;
  const done = new AbortController();
  for (const act of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(act, () => done.abort(), { signal: done.signal, passive: true });
  for (const wait of [0, 50, 150, 400, 800, 1500]) {
    setTimeout(() => done.signal.aborted || element.scrollIntoView({ block: element.offsetHeight > innerHeight ? "start" : "center" }), wait);
  }
  setTimeout(() => done.abort(), 1600);
}
