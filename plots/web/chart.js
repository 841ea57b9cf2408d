// A live figure of curves.

import { abscissae, between, csv, markX, tabulate, xOf } from "./data.js";
import { button, html, plain, press, say, scripts, svg } from "./dom.js";
import { save, saveSVG, savePNG } from "./download.js";
import { number } from "./numbers.js";
import { area, path, scale, zoomed } from "./scale.js";

const MARGIN = { top: 12, right: 14, bottom: 46 };
const TEXT = 12; // size of a number at an axis
const DASHES = ["6.5 4", "2 3.3", "10.5 2.6 2 2.6"]; // of guides
const RATIO = 110; // height of the ratio panel
const ORDERS = 130; // height of the panel of observed orders
const RATIOS = [0.01, 0.1, 0.2, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 5, 10, 100]; // that have a mark
const NOTE = 14; // height of a line of the note

// A Chart draws a figure in place of its drawing on paper, and remembers what the reader chose.
export class Chart {
  // changed is called with the state after the reader has changed something.
  constructor(figure, data, changed) {
    Object.assign(this, { figure, data, changed });
    this.name = figure.dataset.figure;
    this.state = { x: data.abscissa ?? "", logX: !!data.x.log, logY: !!data.y.log, seeds: false, ratio: false, off: new Set() };
    this.cursor = null; // line and point
    this.lit = new Set(); // methods
    this.build();
    new ResizeObserver(() => this.draw()).observe(this.box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // build makes the controls, the legend and an empty drawing.
  build() {
    const { data, state } = this;
    const sheet = this.figure.querySelector(".sheet");
    this.box = html("div", { class: "live-box" });
    const choices = abscissae(data);
    this.select = html("select", { "aria-label": "horizontal axis", change: () => this.set({ x: this.select.value }) },
      ...choices.map((c) => html("option", { value: c.name }, plain(c.label))));
    this.buttons = {
      logX: button("log x", state.logX, () => this.set({ logX: !this.state.logX })),
      logY: button("log y", state.logY, () => this.set({ logY: !this.state.logY })),
    };
    if (data.lines.some((l) => l.runs)) this.buttons.seeds = button("seeds", false, () => this.set({ seeds: !this.state.seeds }), "every seed in place of the bands");
    if (data.marks?.length) this.buttons.ratio = button("ratio", false, () => this.set({ ratio: !this.state.ratio }), "ours divided by the paper’s number");
    const file = this.name.replace(/[^\w]+/g, "-");
    const downloads = ["CSV", "SVG", "PNG"].map((kind) =>
      button(kind, undefined, () => {
        if (kind === "CSV") save(file + ".csv", "text/csv", csv(data, this.state.x));
        else (kind === "SVG" ? saveSVG : savePNG)(file, this.drawing, this.legendLines());
      }, "download this view as " + kind));
    this.toolbar = html("div", { class: "tools", role: "group", "aria-label": "view" },
      choices.length > 1 ? html("label", {}, html("span", {}, "x "), this.select) : null, ...Object.values(this.buttons), html("span", { class: "gap" }),
      html("details", { class: "saves" }, html("summary", {}, "save"), html("div", {}, ...downloads)));
    this.switches = this.legendButtons();
    this.legend = html("div", { class: "legend", role: "group", "aria-label": "curves" }, ...this.switches);
    this.drawing = svg("svg", {
      class: "live", tabindex: 0, role: "application", "aria-label": plain(data.title) + ". Arrow keys: left and right walk along a curve, up and down change it.",
      keydown: (e) => this.key(e), pointermove: (e) => this.point(e), pointerleave: () => this.leave(), focus: () => this.cursor ?? this.move(0, 0), blur: () => this.leave(),
    });
    this.tip = html("div", { class: "tip", hidden: true });
    this.box.append(this.drawing, this.tip);
    this.live = html("div", { class: "live-figure" }, this.toolbar, this.box, this.legend);
    sheet.before(this.live);
    tabulate(this.figure, data);
  }

  // legendButtons makes a button for every line. A line of another run is switched with ours of the same name, and one button more
  // switches all of these.
  legendButtons() {
    const pairs = new Map(this.data.lines.filter((l) => !l.beside).map((l) => [l, [l]]));
    const theirs = [];
    for (const l of this.data.lines.filter((l) => l.beside)) {
      const ours = [...pairs.keys()].find((o) => !o.beside && o.method === l.method && l.label.startsWith(o.label + " ("));
      if (ours) pairs.get(ours).push(l), theirs.push(l);
      else pairs.set(l, [l]);
    }
    const all = [...pairs].map(([l, lines]) => this.legendButton(lines, [this.swatch(l), html("span", {}, ...scripts(l.label))]));
    if (theirs.length) {
      const { method, label } = theirs[0];
      const ours = [...pairs.keys()].find((o) => o.method === method && label.startsWith(o.label + " ("));
      all.push(this.legendButton(theirs, [html("span", {}, label.slice(ours.label.length + 2, -1))]));
    }
    return all;
  }

  // legendButton makes the button that switches some lines.
  legendButton(lines, content) {
    const b = button(content, true, () => {
      const off = new Set(this.state.off);
      const hide = !off.has(lines[0].index);
      for (const l of lines) hide ? off.add(l.index) : off.delete(l.index);
      this.set({ off });
    });
    b.lines = lines;
    const methods = [...new Set(lines.map((l) => l.method))];
    for (const [on, light] of [["pointerenter", true], ["pointerleave", false], ["focus", true], ["blur", false]]) b.addEventListener(on, () => this.light(light ? methods : []));
    return b;
  }

  swatch(l) {
    const s = svg("svg", { width: 34, height: 12, viewBox: "0 0 34 12", "aria-hidden": true });
    s.append(svg("path", { d: "M0 6H34", ...this.stroke(l) }), this.symbol(l, 17, 6));
    return s;
  }

  // stroke is how a line is drawn. The colour depends on the scheme, so the page's style has the two.
  stroke(l) {
    return { class: "curve", "stroke-dasharray": l.style.dashes?.map((d) => d * 1.3).join(" "), ...this.tint(l) };
  }

  // tint names the colours of a line for the style sheet, where a style attribute is not allowed.
  tint(l) {
    const night = matchMedia("(prefers-color-scheme: dark)").matches;
    return { stroke: night ? l.style.night : l.style.colour, fill: "none" };
  }

  // symbol is the marker of a line.
  symbol(l, x, y, r = 3.4) {
    const { corners, turn = 0, filled, bare } = l.style;
    if (bare) return svg("g");
    const colour = this.tint(l).stroke;
    let d = "";
    for (let i = 0; i < corners; i++) {
      const a = turn + (2 * Math.PI * i) / corners;
      d += (i ? "L" : "M") + (x + 1.25 * r * Math.cos(a)).toFixed(1) + " " + (y - 1.25 * r * Math.sin(a)).toFixed(1);
    }
    d = corners ? d + "Z" : `M${(x - r).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
    return svg("path", { d, class: filled ? "symbol" : "symbol open", stroke: colour, fill: filled ? colour : null });
  }

  // set changes the view and tells the page.
  set(change) {
    Object.assign(this.state, change);
    this.draw();
    this.changed(this);
  }

  // update shows other data with the same lines.
  update(data) {
    this.data = data;
    this.switches = this.legendButtons();
    this.draw();
  }

  // restore sets the view that an address names.
  restore(address) {
    const { state, data } = this;
    if (address.x !== undefined && [...this.select.options].some((o) => o.value === address.x)) state.x = address.x;
    if (address.log !== undefined) Object.assign(state, { logX: address.log.includes("x"), logY: address.log.includes("y") });
    if (address.off) state.off = new Set(address.off.split(",").map(Number).filter((i) => i < data.lines.length));
    state.seeds = address.seeds === "1" && !!this.buttons.seeds;
    state.ratio = address.ratio === "1" && !!this.buttons.ratio;
    this.draw();
  }

  // address is the state as the address has it; what the paper's figure has is left out.
  address() {
    const { state: s, data } = this;
    const log = (s.logX ? "x" : "") + (s.logY ? "y" : "");
    const own = (data.x.log ? "x" : "") + (data.y.log ? "y" : "");
    return {
      fig: this.name, x: s.x === (data.abscissa ?? "") ? "" : s.x, log: log === own ? "" : log || "none",
      off: [...s.off].sort((a, b) => a - b).join(","), seeds: s.seeds ? "1" : "", ratio: s.ratio ? "1" : "",
    };
  }

  // shown lists the lines that are not switched off.
  shown() {
    return this.data.lines.filter((l) => !this.state.off.has(l.index));
  }

  // draw draws everything again.
  draw() {
    const { data, state, drawing } = this;
    const width = Math.max(280, Math.round(this.box.clientWidth || 640));
    const panel = Math.round(Math.min(400, Math.max(240, width * 0.44)));
    const note = wrapped(data.note ?? "", (width - 28) / (0.47 * TEXT));
    const height = panel + (data.orders ? ORDERS : 0) + (state.ratio ? RATIO : 0) + NOTE * note.length;
    for (const [name, b] of Object.entries(this.buttons)) press(b, state[name]);
    this.select.value = state.x;
    for (const b of this.switches) {
      press(b, b.lines.some((l) => !state.off.has(l.index)));
      b.querySelector("svg")?.replaceWith(this.swatch(b.lines[0]));
    }
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.setAttribute("height", height);
    this.size = { width, panel, height, note: height - NOTE * note.length };
    const lines = this.shown();
    const marks = (data.marks ?? []).filter((m) => !state.off.has(m.line));
    const own = state.x === (data.abscissa ?? "");
    this.setY(panel, this.view("y", "", state.logY, () => [...lines.flatMap((l) => [l.y, l.low ?? [], l.high ?? []].flat()), ...marks.map((m) => m.y)]));
    const right = width - MARGIN.right;
    const xs = () => [...lines.flatMap((l) => xOf(data, l, state.x)), ...marks.map((m) => markX(data, m, state.x))];
    this.X = scale(state.logX, this.view("x", state.x, state.logX, xs), [this.left, right]);
    const clip = "clip-" + this.name.replace(/[^\w]+/g, "-");
    const inside = svg("g", { "clip-path": `url(#${clip})` });
    drawing.replaceChildren(
      svg("clipPath", { id: clip }, svg("rect", { x: this.left, y: MARGIN.top - 5, width: right - this.left, height: panel - MARGIN.bottom - MARGIN.top + 10 })),
      ...this.axes(panel), inside,
      ...note.map((line, i) => svg("text", { class: "small", x: 14, y: this.size.note + NOTE * i + 8 }, line)),
    );
    if (data.dots) inside.append(svg("path", { class: "dots", d: data.dots.x.map((x, i) => `M${this.X(x).toFixed(1)} ${this.dot(data.dots, i).toFixed(1)}h0`).join("") }));
    for (const l of lines) if (!state.seeds || !l.runs) this.band(inside, l);
    for (const m of marks) this.mark(inside, m);
    const guides = own && state.logX === !!data.x.log && state.logY ? (data.guides ?? []) : [];
    guides.forEach((g, i) => this.guide(inside, g, i));
    for (const beside of [true, false]) for (const l of lines) if (!!l.beside === beside) this.curve(inside, l);
    if (data.orders) this.orders(lines);
    if (state.ratio) this.ratio(lines, marks);
    this.entries = this.listed(marks, guides);
    this.legend.replaceChildren(...this.switches, ...this.entries.map(({ swatch, label }) => html("span", { class: "entry" }, swatch, html("span", {}, ...scripts(label)))));
    this.focus = svg("g", { class: "focus", "aria-hidden": true });
    drawing.append(this.focus);
    this.mark_lit();
    if (this.cursor && !state.off.has(this.cursor.line)) this.place(false);
    else this.cursor = null;
  }

  // view returns the range and the marks of an axis: what the server laid out or, once curves are off, what shows the values of the others.
  view(axis, abscissa, log, values) {
    const { views, fixed } = this.data[axis];
    return (this.state.off.size && !fixed ? zoomed(values(), log) : views[abscissa][+log]) ?? { range: [0, 1], marks: [] };
  }

  // setY makes the vertical axis, and the margin that its numbers need.
  setY(panel, view) {
    this.Y = scale(this.state.logY, view, [panel - MARGIN.bottom, MARGIN.top]);
    this.left = 32 + Math.ceil(Math.max(0, ...view.marks.map(({ label }) => widthOf(label))));
  }

  // axes returns the grid, the marks and their labels.
  axes(panel) {
    const { X, Y, size, data } = this;
    const bottom = panel - MARGIN.bottom;
    const middle = (X.from + X.to) / 2;
    const out = [svg("rect", { class: "frame", x: X.from, y: MARGIN.top, width: X.to - X.from, height: bottom - MARGIN.top })];
    for (const c of X.minor) out.push(svg("path", { class: "tick", d: `M${X.place(c).toFixed(1)} ${bottom}v-4` }));
    let free = -Infinity; // where the last label ends
    for (const { at: c, label } of X.marks) {
      const at = X.place(c);
      out.push(svg("path", { class: "grid", d: `M${at.toFixed(1)} ${MARGIN.top}V${bottom}` }));
      const half = widthOf(label) / 2;
      if (Math.min(at, size.width - half) - half < free) continue;
      const middle = Math.min(at, size.width - half);
      out.push(svg("text", { class: "number", x: middle.toFixed(1), y: bottom + 16, "text-anchor": "middle" }, ...spans(label)));
      free = middle + half + TEXT / 2;
    }
    out.push(...this.rows(Y));
    const label = abscissae(data).find((c) => c.name === this.state.x)?.label ?? data.x.label;
    out.push(svg("text", { class: "label", x: Math.min(middle, size.width - widthOf(label) * 0.56), y: panel - 8, "text-anchor": "middle" }, ...spans(label)));
    const words = svg("text", { class: "label", transform: `translate(14 ${(MARGIN.top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, ...spans(data.y.label));
    if (plain(data.y.label).length * 6.6 > bottom) Object.entries({ textLength: bottom, lengthAdjust: "spacingAndGlyphs" }).forEach(([k, v]) => words.setAttribute(k, v)); // pressed into the height
    out.push(words);
    return out;
  }

  // rows returns the grid of a vertical axis, its marks and their labels.
  rows(Y) {
    const { from, to } = this.X;
    const out = Y.minor.map((c) => svg("path", { class: "tick", d: `M${from} ${Y.place(c).toFixed(1)}h4` }));
    let free = Infinity; // the height of the last label
    for (const { at: c, label } of Y.marks) {
      const at = Y.place(c);
      out.push(svg("path", { class: "grid", d: `M${from} ${at.toFixed(1)}H${to}` }));
      if (at > free) continue;
      out.push(svg("text", { class: "number", x: from - 6, y: (at + 4).toFixed(1), "text-anchor": "end" }, ...spans(label)));
      free = at - 1.2 * TEXT;
    }
    return out;
  }

  // points returns the points of a line that have a place.
  points(l, ys) {
    const { X, Y } = this;
    return xOf(this.data, l, this.state.x).map((x, i) => [X(x), ys[i] === null ? NaN : Y(ys[i]), i]);
  }

  // band draws the band of a line of this run.
  band(into, l) {
    if (!l.low || l.beside) return;
    const rows = this.bounds(l);
    into.append(svg("path", { class: "band", "data-method": l.method, d: area(rows), fill: this.tint(l).stroke }));
  }

  // bounds returns the places [x, low, high] of a band. A bound without a place lies beyond the end of the axis.
  bounds(l) {
    const { X, Y } = this;
    const at = (v) => (v === null ? NaN : Number.isFinite(Y(v)) ? Y(v) : v > 0 ? 2 * Y.to - Y.from : 2 * Y.from - Y.to);
    if (l.level) return [X.from, X.to].map((x) => [x, at(l.low[0]), at(l.high[0])]);
    return xOf(this.data, l, this.state.x).map((x, i) => [X(x), at(l.low[i]), at(l.high[i])]);
  }

  // dot returns the height of a dot. Rows of two classes are at the edges of the panel.
  dot(dots, i) {
    if (!dots.classes) return this.Y(dots.y[i]);
    return dots.y[i] < 0 ? this.Y.from - 4 : this.Y.to + 4;
  }

  curve(into, l) {
    const g = svg("g", { class: "line", "data-line": l.index, "data-method": l.method });
    if (l.level) {
      const y = this.Y(l.y[0]);
      g.append(svg("path", { d: `M${this.X.from} ${y}H${this.X.to}`, ...this.stroke(l) }));
      into.append(g);
      return;
    }
    if (this.state.seeds && l.runs) for (const r of l.runs) g.append(svg("path", { d: path(this.points(l, r)), ...this.stroke(l), class: "curve seed" }));
    const points = this.points(l, l.y);
    if (!this.state.seeds || !l.runs) {
      g.append(svg("path", { d: path(points), ...this.stroke(l) }));
      const seen = points.filter((p) => Number.isFinite(p[0]) && Number.isFinite(p[1]));
      const every = seen.length <= (this.data.orders ? 30 : 10) ? 1 : Math.ceil(seen.length / 7);
      seen.forEach((p, i) => (i + (every > 1 ? l.index : 0)) % every === 0 && g.append(this.symbol(l, p[0], p[1])));
    }
    for (const x of l.breaks ?? []) {
      if (this.state.x !== (this.data.abscissa ?? "")) continue;
      const before = points.filter((p, i) => Number.isFinite(p[1]) && xOf(this.data, l, this.state.x)[i] <= x).at(-1);
      const [cx, cy] = before ?? [this.X(x), MARGIN.top];
      g.append(svg("path", { class: "cross", d: `M${cx - 4} ${cy - 4}l8 8m0 -8l-8 8`, stroke: this.tint(l).stroke }));
    }
    into.append(g);
  }

  // mark draws a published value with the numbers that round to it.
  mark(into, m) {
    const { X, Y } = this;
    const l = this.data.lines[m.line];
    const colour = this.tint(l).stroke;
    const y = Y(m.y);
    if (Number.isNaN(y)) return; // zero has no place on a logarithmic axis
    const [low, high] = [Y(m.low), Y(m.high)].map((v) => (Number.isFinite(v) ? v : y));
    const x = markX(this.data, m, this.state.x);
    const g = svg("g", { class: "mark", "data-method": l.method }, svg("title", {}, plain(m.label || `${l.label}: ${m.origin} ${number(m.y)}`)));
    if (x === null) {
      g.append(svg("rect", { class: "band", x: X.from, width: X.to - X.from, y: Math.min(low, high), height: Math.abs(low - high), fill: colour }),
        svg("path", { class: "level", d: `M${X.from} ${y}H${X.to}`, stroke: colour }));
    } else {
      g.append(svg("path", { class: "bar", d: `M${X(x)} ${low}V${high}`, stroke: colour }), svg("circle", { class: "ring", cx: X(x), cy: y, r: 5, stroke: colour }));
    }
    into.append(g);
  }

  // guide draws a line, or a triangle with its slope beside the vertical leg and a 1 beside the horizontal one.
  guide(into, { ends, label }, i) {
    const [a, b, right] = ends.map(([x, y]) => [this.X.place(x), this.Y.place(y)]);
    into.append(svg("path", { class: "guide", fill: "none", "stroke-dasharray": right ? null : DASHES[i % DASHES.length], d: path(right ? [a, b, right, a] : [a, b]) }));
    if (!right) return;
    const [x, y] = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    const left = right[0] < x;
    into.append(svg("text", { class: "number", x: right[0] + (left ? -5 : 5), y: y + 4, "text-anchor": left ? "end" : "start" }, ...spans(label)),
      svg("text", { class: "number", x, y: right[1] + (right[1] < y ? -4 : 12), "text-anchor": "middle" }, "1"));
  }

  // orders draws the observed orders below the panel, with those that claims give and accept.
  orders(lines) {
    const { y, lines: observed, marks = [] } = this.data.orders;
    const { from, to } = this.X;
    const top = this.size.panel + 4;
    const bottom = top - 26 + ORDERS;
    const R = scale(false, y.views[""][0], [bottom, top]);
    const clip = this.drawing.querySelector("clipPath").id + "-orders";
    const inside = svg("g", { "clip-path": `url(#${clip})` });
    for (const m of marks.filter((m) => lines.some((l) => l.index === m.line))) {
      const { method } = this.data.lines[m.line];
      const colour = this.tint(this.data.lines[m.line]).stroke;
      inside.append(svg("g", { "data-method": method }, svg("title", {}, `${m.origin} ${number(m.y)}, accepted from ${number(m.low)} to ${number(m.high)}`),
        svg("rect", { class: "band", x: from, width: to - from, y: R(m.high), height: R(m.low) - R(m.high), fill: colour }),
        svg("path", { class: "level", d: `M${from} ${R(m.y)}H${to}`, stroke: colour })));
    }
    for (const l of lines) {
      const points = (observed[l.index].x ?? []).map((x, i) => [this.X(x), R(observed[l.index].y[i]), observed[l.index].y[i]]);
      inside.append(svg("g", { class: "line", "data-method": l.method }, svg("path", { d: path(points), ...this.stroke(l) }),
        ...points.filter(([, p]) => Number.isFinite(p)).map(([x, p, order]) => svg("g", {}, svg("title", {}, `${plain(l.label)}: ${number(order)}`), this.symbol(l, x, p)))));
    }
    this.drawing.append(svg("g", { class: "orders" }, svg("clipPath", { id: clip }, svg("rect", { x: from, y: top - 5, width: to - from, height: bottom - top + 10 })),
      svg("rect", { class: "frame", x: from, y: top, width: to - from, height: bottom - top }), ...this.rows(R), inside,
      svg("text", { class: "label", transform: `translate(14 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, ...spans(y.label))));
  }

  // listed returns what the legend has besides curves: dots, guides, and published values that can be seen.
  listed(marks, guides) {
    const { data, Y } = this;
    const sample = (...parts) => {
      const s = svg("svg", { width: 34, height: 12, viewBox: "0 0 34 12", "aria-hidden": true, class: "live" });
      s.append(...parts);
      return s;
    };
    const { classes, label } = data.dots ?? {};
    const rows = classes ? classes.map((c, i) => c + [" (lower edge)", " (upper edge)"][i]) : label ? [label] : [];
    const dots = rows.map((label) => ({ swatch: sample(svg("path", { class: "dots", d: "M7 6h0M17 6h0M27 6h0" })), label }));
    const lines = guides.filter(({ ends }) => ends.length === 2).map(({ label }, i) => ({ swatch: sample(svg("path", { class: "guide", "stroke-dasharray": DASHES[i % DASHES.length], d: "M0 6H34" })), label }));
    const values = marks.filter((m) => m.label && Y(m.y) >= Y.to && Y(m.y) <= Y.from).map((m) => {
      const stroke = m.common ? "currentColor" : this.tint(data.lines[m.line]).stroke;
      const parts = m.x === null ? [svg("path", { class: "level", d: "M0 6H34", stroke })] : [svg("path", { class: "bar", d: "M17 0V12", stroke }), svg("circle", { class: "ring", cx: 17, cy: 6, r: 4, stroke })];
      return { swatch: sample(...parts), label: m.label };
    });
    return [...dots, ...lines, ...values];
  }

  // ratio draws ours divided by the published values below the panel.
  ratio(lines, marks) {
    const { data, state, size } = this;
    const bottom = size.note - 22;
    const top = bottom + 26 - RATIO;
    const items = marks.flatMap((m) => {
      const l = data.lines[m.line];
      const xs = xOf(data, l, state.x);
      const x = markX(data, m, state.x);
      const read = (ys) => (x === null || l.level ? ys?.at(-1) : ys && between(xs, ys, x));
      const ours = read(l.y);
      if (!(m.y > 0) || !(ours > 0) || !Number.isFinite(ours)) return [];
      return [{ l, x: x ?? xs.at(-1), v: ours / m.y, low: (read(l.low) ?? ours) / m.y, high: (read(l.high) ?? ours) / m.y, pl: m.low / m.y, ph: m.high / m.y }];
    });
    const g = svg("g", { class: "ratio" });
    if (!items.length) {
      g.append(svg("text", { class: "number", x: this.X.from, y: top + 20 }, "no curve has a published number above zero"));
    } else {
      const all = items.flatMap((r) => [r.v, r.low, r.high, r.pl, r.ph]).filter((v) => v > 0 && Number.isFinite(v));
      const reach = 1.1 * Math.log10(Math.max(1.05, ...all.map((v) => Math.max(v, 1 / v))));
      const marks = RATIOS.filter((v) => Math.abs(Math.log10(v)) <= reach).map((v) => ({ at: Math.log10(v), label: String(v) }));
      const R = scale(true, { range: [-reach, reach], marks }, [bottom, top]);
      const { from, to } = this.X;
      g.append(svg("rect", { class: "frame", x: from, y: top, width: to - from, height: bottom - top }), ...this.rows(R),
        svg("path", { class: "one", d: `M${from} ${R(1)}H${to}` }));
      g.append(svg("text", { class: "label", transform: `translate(14 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, "ours / paper"));
      for (const r of items) {
        const colour = this.tint(r.l).stroke;
        const x = this.X(r.x);
        const label = `${plain(r.l.label)}: ours is ${number(r.v)} times the paper’s`;
        g.append(svg("g", { "data-method": r.l.method }, svg("title", {}, label),
          svg("path", { class: "ratio-paper", d: `M${x - 7} ${R(r.pl)}H${x + 7}V${R(r.ph)}H${x - 7}Z`, fill: colour }),
          svg("path", { class: "bar", d: `M${x} ${R(r.low)}V${R(r.high)}`, stroke: colour }), this.symbol(r.l, x, R(r.v))));
      }
    }
    this.drawing.append(g);
  }

  // point moves the cursor to the point next to the pointer.
  point(e) {
    const box = this.drawing.getBoundingClientRect();
    const [px, py] = [((e.clientX - box.left) * this.size.width) / box.width, ((e.clientY - box.top) * this.size.height) / box.height];
    let best = 60 ** 2;
    let found = null;
    for (const l of this.shown()) {
      if (l.level) continue;
      for (const [x, y, i] of this.points(l, l.y)) {
        const far = (x - px) ** 2 + (y - py) ** 2;
        if (far < best) [best, found] = [far, { line: l.index, point: i }];
      }
    }
    if (!found) return this.leave();
    this.cursor = found;
    this.place(false);
  }

  leave() {
    if (document.activeElement === this.drawing && this.cursor) return;
    this.tip.hidden = true;
    this.focus?.replaceChildren();
    this.light([]);
  }

  // key walks with the keyboard.
  key(e) {
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0], Home: [0, -Infinity], End: [0, Infinity] };
    if (e.key === "Escape") {
      this.cursor = null;
      this.drawing.blur();
      return;
    }
    if (!steps[e.key]) return;
    e.preventDefault();
    this.move(...steps[e.key]);
  }

  // move moves the cursor by lines and points.
  move(lines, points) {
    const shown = this.shown();
    if (!shown.length) return;
    const at = Math.max(0, shown.findIndex((l) => l.index === this.cursor?.line));
    const l = shown[(at + lines + shown.length) % shown.length];
    const xs = xOf(this.data, l, this.state.x);
    let point = this.cursor?.point ?? 0;
    if (lines && this.cursor) {
      const x = xOf(this.data, shown[at], this.state.x)[point];
      point = xs.reduce((best, v, i) => (Math.abs(v - x) < Math.abs(xs[best] - x) ? i : best), 0);
    }
    point = Math.max(0, Math.min((l.level ? 1 : xs.length) - 1, Math.min(point, xs.length - 1) + points));
    this.cursor = { line: l.index, point };
    this.place(true);
  }

  // place shows the values at the cursor and, if the reader moved it by keys, speaks them.
  place(aloud) {
    const { data } = this;
    const l = data.lines[this.cursor.line];
    const i = this.cursor.point;
    const x = xOf(this.data, l, this.state.x)[i];
    const y = l.y[i];
    const cx = this.X(x);
    const cy = Number.isFinite(this.Y(y)) ? this.Y(y) : MARGIN.top;
    this.focus.replaceChildren(svg("circle", { class: "ring", cx, cy, r: 7 }), svg("path", { class: "hair", d: `M${cx} ${MARGIN.top}V${this.size.panel - MARGIN.bottom}` }));
    const where = plain(abscissae(this.data).find((c) => c.name === this.state.x)?.label ?? this.data.x.label);
    const rows = [[where, number(x)], [plain(this.data.y.label), number(y)]];
    if (l.low) rows.push(["band", `${number(l.low[i])} to ${number(l.high[i])}`]);
    const seeds = l.runs?.map((r, k) => [l.seeds[k], r[i]]).filter(([, v]) => v !== null) ?? [];
    if (seeds.length) rows.push(["seeds", seeds.slice(0, 10).map(([s, v]) => `${s}: ${number(v)}`).join(", ") + (seeds.length > 10 ? ` and ${seeds.length - 10} more` : "")]);
    this.tip.replaceChildren(html("strong", {}, ...scripts(l.label)), html("dl", {}, ...rows.flatMap(([k, v]) => [html("dt", {}, k), html("dd", {}, v)])));
    this.tip.hidden = false;
    const scale = this.box.clientWidth / this.size.width;
    this.tip.style.left = Math.max(0, Math.min(cx * scale + 12, this.box.clientWidth - this.tip.offsetWidth)) + "px";
    this.tip.style.top = cy * scale + 16 + "px";
    this.light([l.method]);
    if (aloud) say([plain(l.label), ...rows.slice(0, 3).map((r) => r.join(" ")), seeds.length ? `${seeds.length} seeds` : ""].filter(Boolean).join(", "));
  }

  // light brings out the curves of some methods, and the claims about them.
  light(methods) {
    this.lit = new Set(methods.filter(Boolean));
    this.mark_lit();
  }

  mark_lit() {
    const some = this.lit.size > 0 && this.data.lines.some((l) => this.lit.has(l.method));
    this.drawing.classList.toggle("lit", some);
    for (const g of this.drawing.querySelectorAll("[data-method]")) g.classList.toggle("on", this.lit.has(g.dataset.method));
    for (const chip of this.figure.querySelectorAll(".chip")) chip.classList.toggle("on", some && chip.dataset.methods.split(" ").some((m) => this.lit.has(m)));
  }

  // legendLines is the legend as a download has it.
  legendLines() {
    return [...this.shown().map((l) => ({ swatch: this.swatch(l), label: plain(l.label) })), ...this.entries.map(({ swatch, label }) => ({ swatch: swatch.cloneNode(true), label: plain(label) }))];
  }
}

// spans turns a text with superscripts and subscripts into parts of a text of a figure.
function spans(text) {
  return scripts(text).map((n) => (typeof n === "string" ? n : svg("tspan", { "font-size": "70%", "baseline-shift": n.localName === "sup" ? "super" : "sub" }, n.textContent)));
}

// widthOf is about how wide a number or a label is on the page.
const widthOf = (text) => 0.63 * TEXT * [...text.matchAll(/([\^_])\{([^}]*)\}|./g)].reduce((sum, m) => sum + (m[1] ? 0.7 * m[2].length : 1), 0);

// wrapped breaks a text at spaces into lines of so many letters.
function wrapped(text, letters) {
  const lines = [];
  for (const word of text.split(" ").filter(Boolean)) {
    if (lines.length && lines.at(-1).length + 1 + word.length <= letters) lines.push(lines.pop() + " " + word);
    else lines.push(word);
  }
  return lines;
}
