// The script of the report. Without it the page has every claim, the tables of the papers and a figure of each experiment; it unfolds
// the rest and makes figures, the table of claims and links alive.

import { Chart } from "./chart.js";
import { figureData, unpack } from "./data.js";
import { button, show } from "./dom.js";
import { copy } from "./download.js";
import { HeatMap } from "./heat.js";
import { walkable } from "./matrix.js";
import { read, write } from "./state.js";
import { Table } from "./table.js";

const charts = new Map(); // promises, by the name of the figure
let table = null;

// chart returns the live figure of an element, and makes it if it is the first time.
function chart(figure) {
  const name = figure.dataset.figure;
  if (!charts.has(name)) charts.set(name, figureData(figure).then((data) => (data.maps ? new HeatMap(figure, data) : new Chart(figure, data, (c) => write(c.address())))));
  return charts.get(name);
}

const figureNamed = (name) => [...document.querySelectorAll("figure[data-live]")].find((f) => f.dataset.figure === name);

// open shows what the address names.
async function open() {
  const address = read();
  if (!address) {
    const place = document.getElementById(location.hash.slice(1));
    if (place?.dataset.claim) openClaim(place.dataset.claim);
    else if (place) show(place);
    return;
  }
  if (address.fig) {
    const figure = figureNamed(address.fig);
    if (!figure) return;
    const c = await chart(figure);
    c.restore(address);
    if (address.claim) light(c, address.claim);
    show(figure);
  } else if (address.claim) openClaim(address.claim);
  else if (table) {
    table.restore(address);
    show(table.table.tHead);
  }
}

// openClaim shows the row of a claim.
function openClaim(claim) {
  const row = table?.reveal(claim);
  if (!row) return;
  document.querySelectorAll("tr.target").forEach((r) => r.classList.remove("target"));
  row.classList.add("target");
  row.querySelector("details").open = true;
  row.querySelector("a").focus({ preventScroll: true });
  show(row);
  write({ claim });
}

// light brings out the curves of a claim.
function light(c, claim) {
  const row = table?.rows.find((r) => r.dataset.claim === claim);
  if (row) c.light([row.dataset.method, ...(row.dataset.against ?? "").split(" ")]);
}

// linkClaims joins claims and figures: a claim about a figure's curves brings them out, and its row links to the figure.
function linkClaims() {
  for (const chip of document.querySelectorAll("figure[data-live] .chip")) {
    const figure = chip.closest("figure");
    const lit = (on) => async () => (await chart(figure)).light(on ? chip.dataset.methods.split(" ") : []);
    chip.addEventListener("pointerenter", lit(true));
    chip.addEventListener("pointerleave", lit(false));
    chip.addEventListener("focus", lit(true));
    chip.addEventListener("blur", lit(false));
    const row = document.getElementById(chip.hash.slice(1));
    const link = row?.cells[1].querySelector(".to-curve");
    if (row && !link) {
      const a = document.createElement("a");
      a.className = "to-curve small";
      a.href = `#fig=${figure.dataset.figure}&claim=${row.dataset.claim}`;
      a.textContent = "figure";
      row.cells[1].querySelector("details").before(a);
    }
  }
}

// commands gives every command a button that copies it.
function commands() {
  for (const code of document.querySelectorAll(".command code")) {
    const b = button("copy", undefined, async () => {
      await copy(code.textContent);
      b.textContent = "copied";
      setTimeout(() => (b.textContent = "copy"), 1500);
    });
    b.setAttribute("aria-label", "copy " + code.textContent);
    code.after(" ", b);
  }
}

// unfold puts into the page what it has packed.
async function unfold() {
  const packed = document.getElementById("folds");
  if (!packed) return;
  const places = document.querySelectorAll("template");
  const folds = await unpack(packed.textContent);
  places.forEach((t, i) => (t.outerHTML = folds[i]));
}

// enliven makes alive what is in the page.
function enliven() {
  linkClaims();
  // A figure becomes alive when it comes near the window.
  const near = new IntersectionObserver((entries) => entries.forEach((e) => e.isIntersecting && (near.unobserve(e.target), chart(e.target))), { rootMargin: "600px" });
  for (const f of document.querySelectorAll("figure[data-live]")) near.observe(f);
  document.documentElement.classList.add("whole");
  open();
}

// begin puts the rest of the page, which the browser has only stored, into its place and makes the page alive.
function begin() {
  const rest = document.getElementById("rest");
  if (rest) rest.outerHTML = rest.textContent;
  const section = document.getElementById("claims");
  if (section) table = new Table(section, (t) => write(t.address()));
  const matrix = document.getElementById("matrix");
  if (matrix) walkable(matrix);
  commands();
  unfold().finally(enliven);
}

document.documentElement.classList.add("js");
document.addEventListener("click", (e) => {
  const a = e.target.closest?.('a[href^="#claim-"]');
  const row = a && document.getElementById(a.hash.slice(1));
  if (!row) return;
  e.preventDefault();
  openClaim(row.dataset.claim);
});
addEventListener("hashchange", open);
// The first screen is drawn before the rest is read, unless the address names a place in it. Where nobody looks, no frame may come.
if (location.hash || document.hidden) begin();
else {
  const late = setTimeout(begin, 500);
  requestAnimationFrame(() => setTimeout(() => {
    clearTimeout(late);
    if (document.getElementById("rest")) begin();
  }));
}
