// What a run in the page shows: figures that grow while it runs, and verdicts.

import { Chart } from "./chart.js";
import { prepared } from "./data.js";
import { html, plain, scripts, svg } from "./dom.js";
import { HeatMap } from "./heat.js";
import { number } from "./numbers.js";
import { zoomed } from "./scale.js";

const RAMP = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]; // of maps
const CLASSES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C510A", "#5E3C99"];

// tone is the colour of a share of the scale.
function tone(share) {
  const at = Math.max(0, Math.min(1, share)) * (RAMP.length - 1);
  const i = Math.min(Math.floor(at), RAMP.length - 2);
  return `rgb(${RAMP[i].map((v, k) => Math.round(v + (at - i) * (RAMP[i + 1][k] - v))).join(" ")})`;
}

const colourOf = (data, [lo, hi]) => (z) => (!Number.isFinite(z) ? "#888" : data.classes ? CLASSES[(z - 1) % CLASSES.length] : tone((z - lo) / (hi - lo || 1)));

// legend is what the colours of maps mean, from a place on: a bar with marks at round numbers, or the classes, and cells without a number.
function legend(data, range, [x, y, h]) {
  const colour = colourOf(data, range);
  const all = [];
  const label = (x, y, text, more = {}) => all.push(svg("text", { class: "label", x, y, ...more }, text));
  const square = (row, z, text) => {
    all.push(svg("rect", { x, y: row, width: 14, height: 14, fill: colour(z) }));
    label(x + 22, row + 12, text);
  };
  if (data.classes) data.classes.forEach((c, i) => square(y + 22 * i, i + 1, plain(c)));
  else if (range[0] <= range[1]) {
    label(x, y - 8, plain(data.value));
    const parts = range[0] < range[1] ? 60 : 1;
    for (let i = 0; i < parts; i++) all.push(svg("rect", { x, y: y + (h * i) / parts, width: 14, height: h / parts + (i < parts - 1 ? 0.5 : 0), fill: tone(1 - (i + 0.5) / parts) }));
    const { marks } = parts > 1 ? zoomed(range, false, 0) : { marks: [{ at: range[0], label: number(range[0]) }] };
    for (const m of marks) label(x + 20, y + (parts > 1 ? h - ((m.at - range[0]) / (range[1] - range[0])) * h : h / 2), m.label, { "dominant-baseline": "middle" });
  }
  if (data.maps.some((m) => m.z.some((z) => !Number.isFinite(z)))) square(y + h + 14, NaN, "no number");
  return svg("g", { class: "scale-bar" }, ...all);
}

// mapped draws heat maps where no drawing came with them.
function mapped(data) {
  const all = data.maps.flatMap((m) => m.z).filter(Number.isFinite);
  const range = [all.reduce((a, b) => Math.min(a, b), Infinity), all.reduce((a, b) => Math.max(a, b), -Infinity)];
  const colour = colourOf(data, range);
  const edge = (k) => Math.max(...data.maps.map((m) => m.at[k] + m.at[k + 2]));
  const words = Math.max(...(data.classes ?? [data.value + "     "]).map((t) => plain(t).length), 10);
  const drawing = svg("svg", { viewBox: `0 0 ${edge(0) + 50 + 8 * words} ${edge(1) + 50}` });
  for (const m of data.maps) {
    const [x, y, w, h] = m.at;
    const [nx, ny] = [m.x.length, m.y.length];
    const rows = new Map(); // paths by colour
    m.z.forEach((z, i) => {
      const c = colour(z);
      rows.set(c, (rows.get(c) ?? "") + `M${(x + (w * (i % nx)) / nx).toFixed(1)} ${(y + h - (h * (Math.floor(i / nx) + 1)) / ny).toFixed(1)}h${(w / nx).toFixed(2)}v${(h / ny).toFixed(2)}h${(-w / nx).toFixed(2)}z`);
    });
    for (const [fill, d] of rows) drawing.append(svg("path", { d, fill }));
    drawing.append(svg("text", { class: "label", x, y: y - 8 }, plain(m.title)), svg("text", { class: "label", x, y: y + h + 20 }, `${plain(data.x.label)}: ${number(m.x[0])} to ${number(m.x.at(-1))}; ${plain(data.y.label)}: ${number(m.y[0])} to ${number(m.y.at(-1))}`));
  }
  const [, y, , h] = data.maps[0].at;
  drawing.append(legend(data, range, [edge(0) + 20, y, h]));
  return drawing;
}

// A Figures keeps the figures of a run up to date.
export class Figures {
  constructor(box) {
    this.box = box;
    this.shown = new Map();
  }

  // show shows the figures of an experiment. more returns further lines of a figure.
  show(experiment, captions, more = () => []) {
    const ids = new Set();
    (experiment.figures ?? []).forEach((data, i) => {
      ids.add(data.id);
      prepared(experiment, data);
      data.lines.push(...more(data));
      const shape = JSON.stringify([data.lines.map((l) => [l.label, !!l.runs]), data.marks?.length, data.x.label, data.y.label, Object.keys(data.x.views ?? {}), !!data.maps]);
      const old = this.shown.get(data.id);
      if (old && old.shape === shape && old.chart instanceof Chart) old.chart.update(data);
      else {
        const figure = html("figure", { "data-figure": experiment.id + ":" + data.id, "data-live": true }, html("div", { class: "sheet" }, data.maps ? mapped(data) : null),
          html("figcaption", {}, html("strong", {}, ...scripts(data.title), ". "), html("span", { class: "caption" }), html("div", { class: "small asides" })));
        old ? old.figure.replaceWith(figure) : this.box.append(figure);
        const chart = data.maps ? new HeatMap(figure, data) : new Chart(figure, data, () => {});
        if (old?.chart.state && chart.state) {
          chart.state.x = [...chart.select.options].some((o) => o.value === old.chart.state.x) ? old.chart.state.x : chart.state.x;
          Object.assign(chart.state, { logX: old.chart.state.logX, logY: old.chart.state.logY });
          chart.draw();
        }
        this.shown.set(data.id, { figure, chart, shape });
      }
      this.shown.get(data.id).figure.querySelector(".caption").replaceChildren(...scripts(captions[i] ?? ""));
    });
    for (const [id, { figure }] of this.shown) if (!ids.has(id)) figure.remove(), this.shown.delete(id);
  }

  clear() {
    this.box.replaceChildren();
    this.shown.clear();
  }
}

const TONES = { reproduced: "good", deviates: "bad", inconclusive: "open", failed: "fail" };

// verdicts is a table of claims with what was found.
export function verdicts(all) {
  if (!all.length) return html("p", { class: "soft" }, "The spec makes no claims.");
  const row = (v) => html("tr", {},
    html("td", {}, html("b", { class: TONES[v.word] ?? "soft" }, v.called)), html("th", { scope: "row" }, ...scripts(v.title), html("details", { class: "small" }, html("summary", {}, "why"), html("p", {}, ...scripts(v.reason)))),
    html("td", {}, ...scripts(v.published || "none")), html("td", {}, ...scripts(v.measured || "none")));
  return html("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "verdicts" },
    html("table", {}, html("thead", {}, html("tr", {}, ...["verdict", "claim", "published", "measured"].map((h) => html("th", { scope: "col" }, h)))), html("tbody", {}, ...all.map(row))));
}
