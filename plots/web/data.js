// The data of the figures, as Go wrote it into the page.

import { html, scripts } from "./dom.js";
import { number } from "./numbers.js";

let all; // experiments

// figureData returns the data of a figure.
export async function figureData(figure) {
  all ??= unpack(document.getElementById("live").textContent);
  const experiment = (await all).find((e) => figure.dataset.figure.startsWith(e.id + ":"));
  const id = figure.dataset.figure.slice(experiment.id.length + 1);
  return prepared(experiment, experiment.figures.find((f) => f.id === id));
}

// prepared adds to the data of a figure what charts need of its experiment.
export function prepared(experiment, data) {
  data.experiment = experiment.id;
  data.costs = experiment.costs;
  data.lines ??= [];
  data.lines.forEach((line, index) => Object.assign(line, { index, costs: line.costs ?? {} }));
  return data;
}

// unpack reads JSON that is compressed and in base 64.
export function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).json();
}

// abscissae returns what a reader can put on the horizontal axis: the figure's own, and the costs that every line has.
export function abscissae(data) {
  const own = { name: data.abscissa ?? "", label: data.x.label };
  if (!data.abscissa) return [own];
  const others = data.costs.filter(
    ({ name }) => name !== data.abscissa && data.lines.some((l) => l.costs[name]) && data.lines.every((l) => !l.method || l.costs[name]),
  );
  return [own, ...others];
}

// xOf returns the values of a line on an abscissa.
export const xOf = (data, line, name) => (name === (data.abscissa ?? "") || !line.costs[name] ? line.x : line.costs[name]);

// markX returns the place of a published value on an abscissa, and null if it is that of the end of the line.
export function markX(data, mark, name) {
  if (mark.x === null || name === (data.abscissa ?? "")) return mark.x;
  return between(data.lines[mark.line].x, xOf(data, data.lines[mark.line], name), mark.x);
}

// between reads y at x from points with rising x, linearly.
export function between(xs, ys, x) {
  const i = xs.findIndex((v) => v >= x);
  if (i < 0) return ys[ys.length - 1];
  if (i === 0 || xs[i] === x) return ys[i];
  const share = (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
  return ys[i - 1] + share * (ys[i] - ys[i - 1]);
}

// csv writes the points of a figure: those of the chosen abscissa, with every seed.
export function csv(data, name) {
  const quote = (v) => (/[",\n]/.test(v) ? `"${v.replaceAll('"', '""')}"` : v);
  const rows = [["kind", "label", "seed", name || data.x.label, data.y.label, "low", "high"]];
  for (const line of data.lines) {
    const xs = xOf(data, line, name);
    xs.forEach((x, i) => rows.push(["median", line.label, "", x, line.y[i], line.low?.[i], line.high?.[i]]));
    line.runs?.forEach((run, k) => run.forEach((y, i) => y !== null && rows.push(["run", line.label, line.seeds[k], xs[i], y])));
  }
  for (const m of data.marks ?? []) rows.push([m.origin, m.label ?? "", "", markX(data, m, name) ?? "", m.y, m.low, m.high]);
  return rows.map((r) => r.map((v) => quote(String(v ?? ""))).join(",")).join("\n") + "\n";
}

const MOST = 200; // rows of the table of a figure

// tabulate gives a figure a table of its numbers, which is made when it is opened.
export function tabulate(figure, data) {
  const fold = html("details", { class: "figure-data" }, html("summary", {}, "data"));
  fold.addEventListener("toggle", () => fold.append(numbers(data, figure.dataset.figure)), { once: true });
  figure.querySelector(".asides").append(fold);
}

// numbers is the table of some of the points of a figure, evenly spaced.
function numbers(data, name) {
  const span = (low, high) => (low === undefined || low === null ? "" : `${number(low)} to ${number(high)}`);
  const at = (x) => (x === null ? "the end" : number(x));
  const all = data.maps
    ? data.maps.flatMap((m) => m.z.map((z, i) => [m.title, number(m.x[i % m.x.length]), number(m.y[Math.floor(i / m.x.length)]), data.classes?.[z - 1] ?? number(z)]))
    : [...data.lines.flatMap((l) => l.x.map((x, i) => [l.label, at(x), number(l.y[i]), span(l.low?.[i], l.high?.[i])])),
       ...(data.marks ?? []).map((m) => [m.label || `${data.lines[m.line].label}, ${m.origin}`, at(m.x), number(m.y), span(m.low, m.high)])];
  const rows = all.filter((_, i) => i % Math.ceil(all.length / MOST) === 0);
  const head = [data.maps ? "panel" : "curve", data.x.label, data.y.label, data.maps ? data.value : "band"];
  const row = (tag, cells) => html("tr", {}, ...cells.map((c) => html(tag, {}, ...scripts(c))));
  return html("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "data of " + name },
    html("table", { class: "data" }, html("thead", {}, row("th", head)), html("tbody", {}, ...rows.map((r, i) => row("td", [r[0] === rows[i - 1]?.[0] ? "" : r[0], ...r.slice(1)])))),
    rows.length < all.length ? html("p", { class: "soft" }, `${rows.length} of ${all.length} points; the csv file has all of them.`) : null);
}
