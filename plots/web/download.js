// Downloads: a view of a figure as a file.

import { html, svg } from "./dom.js";

// save gives the reader a file.
export function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const a = html("a", { href: url, download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const SHAPES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity"];
const TEXTS = ["fill", "font-family", "font-size"];

// standalone returns a drawing as a file of its own, with the page's style written into its elements and the legend below.
function standalone(drawing, legend) {
  const copy = drawing.cloneNode(true);
  copy.querySelector(".focus").replaceChildren();
  const from = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(from[i]);
    for (const p of ["text", "tspan"].includes(element.localName) ? TEXTS : SHAPES) element.setAttribute(p, style.getPropertyValue(p));
    element.removeAttribute("class");
  });
  const [, , width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
  const ink = getComputedStyle(drawing).color;
  const background = getComputedStyle(drawing.parentElement).backgroundColor;
  legend.forEach(({ swatch, label }, i) => {
    swatch.setAttribute("x", 62);
    swatch.setAttribute("y", height + 8 + 18 * i);
    swatch.querySelectorAll(".curve").forEach((c) => c.setAttribute("stroke-width", 1.7));
    swatch.querySelectorAll(".symbol.open").forEach((c) => c.setAttribute("fill", background));
    copy.append(swatch, svg("text", { x: 104, y: height + 18 + 18 * i, fill: ink, "font-size": 12, "font-family": "sans-serif" }, label));
  });
  const tall = height + 18 * legend.length + 12;
  for (const [k, v] of Object.entries({ viewBox: `0 0 ${width} ${tall}`, width, height: tall, xmlns: "http://www.w3.org/2000/svg" })) copy.setAttribute(k, v);
  for (const k of ["tabindex", "role", "class"]) copy.removeAttribute(k);
  copy.prepend(svg("rect", { width, height: tall, fill: background }));
  return { text: new XMLSerializer().serializeToString(copy), width, height: tall };
}

export const saveSVG = (name, drawing, legend) => save(name + ".svg", "image/svg+xml", standalone(drawing, legend).text);

// savePNG draws the file at three times its size.
export function savePNG(name, drawing, legend) {
  const { text, width, height } = standalone(drawing, legend);
  const image = new Image();
  image.onload = () => {
    const canvas = html("canvas", { width: 3 * width, height: 3 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(name + ".png", "image/png", blob));
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
}

// copy puts a text on the clipboard, also where a file may not use it.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = html("textarea", { class: "hidden" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
