// A live figure of curves.

import { area, line as pathOf, scaleLinear, scaleLog } from "./vendor/d3.js";
import { abscissae, between, csv, markX, xOf } from "./data.js";
import { button, html, plain, press, say, scripts, svg } from "./dom.js";
import { save, saveSVG, savePNG } from "./download.js";
import { number, tick } from "./numbers.js";

const MARGIN = { top: 12, right: 14, bottom: 46, left: 62 };
const RATIO = 110; // height of the ratio panel

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
    if (data.lines.some((l) => l.runs)) this.buttons.seeds = button("all seeds", false, () => this.set({ seeds: !this.state.seeds }), "every seed in place of the bands");
    if (data.marks?.length) this.buttons.ratio = button("ratio", false, () => this.set({ ratio: !this.state.ratio }), "ours divided by the paper’s number");
    const file = this.name.replace(/[^\w]+/g, "-");
    const downloads = ["CSV", "SVG", "PNG"].map((kind) =>
      button(kind, undefined, () => {
        if (kind === "CSV") save(file + ".csv", "text/csv", csv(data, this.state.x));
        else (kind === "SVG" ? saveSVG : savePNG)(file, this.drawing, this.legendLines());
      }, "download this view as " + kind));
    this.toolbar = html("div", { class: "tools", role: "group", "aria-label": "view" },
      choices.length > 1 ? html("label", {}, "x ", this.select) : null, ...Object.values(this.buttons), html("span", { class: "gap" }), ...downloads);
    this.legend = html("div", { class: "legend", role: "group", "aria-label": "curves" }, ...this.legendButtons());
    this.drawing = svg("svg", {
      class: "live", tabindex: 0, role: "application", "aria-label": plain(data.title) + ". Arrow keys: left and right walk along a curve, up and down change it.",
      keydown: (e) => this.key(e), pointermove: (e) => this.point(e), pointerleave: () => this.leave(), focus: () => this.cursor ?? this.move(0, 0), blur: () => this.leave(),
    });
    this.tip = html("div", { class: "tip", hidden: true });
    this.box.append(this.drawing, this.tip);
    this.live = html("div", { class: "live-figure" }, this.toolbar, this.box, this.legend);
    sheet.before(this.live);
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
    const panel = Math.round(Math.min(430, Math.max(250, width * 0.6)));
    const height = panel + (state.ratio ? RATIO : 0);
    for (const [name, b] of Object.entries(this.buttons)) press(b, state[name]);
    this.select.value = state.x;
    for (const b of this.legend.children) {
      press(b, b.lines.some((l) => !state.off.has(l.index)));
      b.querySelector("svg")?.replaceWith(this.swatch(b.lines[0]));
    }
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.setAttribute("height", height);
    this.size = { width, panel, height };
    const lines = this.shown();
    const marks = (data.marks ?? []).filter((m) => !state.off.has(m.line));
    const right = width - MARGIN.right;
    this.X = this.scale("x", [MARGIN.left, right], lines.flatMap((l) => xOf(data, l, state.x)).concat(marks.map((m) => markX(data, m, state.x))));
    this.Y = this.scale("y", [panel - MARGIN.bottom, MARGIN.top], this.values(lines, marks), data.y.range);
    const clip = "clip-" + this.name.replace(/[^\w]+/g, "-");
    const inside = svg("g", { "clip-path": `url(#${clip})` });
    drawing.replaceChildren(
      svg("clipPath", { id: clip }, svg("rect", { x: MARGIN.left, y: MARGIN.top - 5, width: right - MARGIN.left, height: panel - MARGIN.bottom - MARGIN.top + 10 })),
      ...this.axes(panel), inside,
    );
    if (data.dots) inside.append(svg("path", { class: "dots", d: data.dots.x.map((x, i) => `M${this.X(x).toFixed(1)} ${this.dot(data.dots, i).toFixed(1)}h0`).join("") }));
    for (const l of lines) if (!state.seeds || !l.runs) this.band(inside, l);
    for (const m of marks) this.mark(inside, m);
    if (state.logX && state.logY && state.x === (data.abscissa ?? "")) this.guides(inside, lines);
    for (const beside of [true, false]) for (const l of lines) if (!!l.beside === beside) this.curve(inside, l);
    if (state.ratio) this.ratio(lines, marks);
    this.focus = svg("g", { class: "focus", "aria-hidden": true });
    drawing.append(this.focus);
    this.mark_lit();
    if (this.cursor && !state.off.has(this.cursor.line)) this.place(false);
    else this.cursor = null;
  }

  // values lists what the vertical axis must show.
  values(lines, marks) {
    const all = marks.flatMap((m) => [m.low, m.high]);
    for (const l of lines) {
      if (this.state.seeds && l.runs) l.runs.forEach((r) => all.push(...r));
      else if (!l.beside || l.points) all.push(...(l.low ?? []), ...(l.high ?? []));
      all.push(...l.y);
    }
    if (this.data.dots && !this.data.dots.classes) all.push(...this.data.dots.y);
    return all;
  }

  // scale returns the scale of an axis that shows the values which it can.
  scale(axis, range, values, fixed) {
    const log = axis === "x" ? this.state.logX : this.state.logY;
    const seen = values.filter((v) => v !== null && Number.isFinite(v) && (!log || v > 0));
    let [lo, hi] = fixed && (!log || fixed[0] > 0) ? fixed : [Math.min(...seen), Math.max(...seen)];
    if (!(lo < hi)) [lo, hi] = log ? [(lo || 1) / 2, (hi || 1) * 2] : [(lo || 0) - 1, (hi || 0) + 1];
    if (!fixed) {
      const pad = axis === "x" ? 0.02 : 0.05;
      if (log) {
        const room = (hi / lo) ** pad;
        [lo, hi] = [lo / room, hi * room];
      } else [lo, hi] = [lo - pad * (hi - lo), hi + pad * (hi - lo)];
    }
    return (log ? scaleLog() : scaleLinear()).domain([lo, hi]).range(range);
  }

  // axes returns the grid, the marks and their labels.
  axes(panel) {
    const { X, Y, size, state, data } = this;
    const out = [svg("rect", { class: "frame", x: MARGIN.left, y: MARGIN.top, width: size.width - MARGIN.left - MARGIN.right, height: panel - MARGIN.top - MARGIN.bottom })];
    out.push(...this.ticks(X, state.logX, "x", panel), ...this.ticks(Y, state.logY, "y", panel));
    const label = abscissae(data).find((c) => c.name === state.x)?.label ?? data.x.label;
    out.push(svg("text", { class: "label", x: (MARGIN.left + size.width - MARGIN.right) / 2, y: panel - 8, "text-anchor": "middle" }, ...spans(label)));
    const words = svg("text", { class: "label", transform: `translate(14 ${(MARGIN.top + panel - MARGIN.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, ...spans(data.y.label));
    const room = panel - MARGIN.bottom; // a long label is pressed into the height
    if (plain(data.y.label).length * 6.6 > room) Object.entries({ textLength: room, lengthAdjust: "spacingAndGlyphs" }).forEach(([k, v]) => words.setAttribute(k, v));
    out.push(words);
    return out;
  }

  ticks(scale, log, axis, panel) {
    const [a, b] = scale.range();
    const write = tick(scale, log);
    const wanted = axis === "x" ? Math.max(3, Math.floor(Math.abs(b - a) / 90)) : 6;
    const values = log ? scale.ticks() : scale.ticks(wanted);
    let last = -Infinity;
    return values.flatMap((v) => {
      const at = scale(v);
      let text = write(v);
      if (axis === "x" && text && Math.abs(at - last) < 34) text = "";
      if (text && axis === "x") last = at;
      if (axis === "x") {
        const bottom = panel - MARGIN.bottom;
        return [svg("path", { class: text ? "grid" : "tick", d: text ? `M${at} ${MARGIN.top}V${bottom}` : `M${at} ${bottom}v-4` }),
          text && svg("text", { class: "number", x: at, y: bottom + 16, "text-anchor": "middle" }, text)].filter(Boolean);
      }
      return [svg("path", { class: text ? "grid" : "tick", d: text ? `M${MARGIN.left} ${at}H${this.size.width - MARGIN.right}` : `M${MARGIN.left} ${at}h4` }),
        text && svg("text", { class: "number", x: MARGIN.left - 6, y: at + 4, "text-anchor": "end" }, text)].filter(Boolean);
    });
  }

  // points returns the points of a line that have a place.
  points(l, ys) {
    const { X, Y } = this;
    return xOf(this.data, l, this.state.x).map((x, i) => [X(x), ys[i] === null ? NaN : Y(ys[i]), i]);
  }

  // band draws the band of a line of this run, or the bars of single points.
  band(into, l) {
    if (!l.low || (l.beside && !l.points)) return;
    const { X, Y } = this;
    const [bottom, top] = Y.range();
    const at = (v, end) => (v === null ? NaN : Number.isFinite(Y(v)) ? Y(v) : end);
    const xs = l.level ? X.domain() : xOf(this.data, l, this.state.x);
    const rows = xs.map((x, i) => [X(x), at(l.low[Math.min(i, l.low.length - 1)], bottom), at(l.high[Math.min(i, l.high.length - 1)], top)]);
    if (l.points) {
      const bars = rows.filter((r) => r.every(Number.isFinite)).map((r) => `M${r[0].toFixed(1)} ${r[1].toFixed(1)}V${r[2].toFixed(1)}`).join("");
      into.append(svg("path", { class: "bar", "data-method": l.method, d: bars, stroke: this.tint(l).stroke }));
      return;
    }
    const d = area().defined((r) => r.every(Number.isFinite)).x((r) => r[0]).y0((r) => r[1]).y1((r) => r[2]).digits(1)(rows);
    into.append(svg("path", { class: "band", "data-method": l.method, d, fill: this.tint(l).stroke }));
  }

  // dot returns the height of a dot. Rows of two classes are at the edges of the panel.
  dot(dots, i) {
    if (!dots.classes) return this.Y(dots.y[i]);
    const [bottom, top] = this.Y.range();
    return dots.y[i] < 0 ? bottom - 4 : top + 4;
  }

  curve(into, l) {
    const g = svg("g", { class: "line", "data-line": l.index, "data-method": l.method });
    const path = pathOf().defined((p) => Number.isFinite(p[0]) && Number.isFinite(p[1])).digits(1);
    if (l.level) {
      const y = this.Y(l.y[0]);
      g.append(svg("path", { d: `M${MARGIN.left} ${y}H${this.size.width - MARGIN.right}`, ...this.stroke(l) }));
      into.append(g);
      return;
    }
    if (this.state.seeds && l.runs) for (const r of l.runs) g.append(svg("path", { d: path(this.points(l, r)), ...this.stroke(l), class: "curve seed" }));
    const points = this.points(l, l.y);
    if (!this.state.seeds || !l.runs) {
      if (!l.points) g.append(svg("path", { d: path(points), ...this.stroke(l) }));
      const seen = points.filter((p) => Number.isFinite(p[0]) && Number.isFinite(p[1]));
      const every = seen.length <= 10 ? 1 : Math.ceil(seen.length / 7);
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
    const { X, Y, size } = this;
    const l = this.data.lines[m.line];
    const colour = this.tint(l).stroke;
    const y = Y(m.y);
    const [low, high] = [Y(m.low), Y(m.high)].map((v) => (Number.isFinite(v) ? v : y));
    const x = markX(this.data, m, this.state.x);
    const g = svg("g", { class: "mark", "data-method": l.method }, svg("title", {}, plain(m.label || `${l.label}: ${m.origin} ${number(m.y)}`)));
    if (x === null) {
      g.append(svg("rect", { class: "band", x: MARGIN.left, width: size.width - MARGIN.left - MARGIN.right, y: Math.min(low, high), height: Math.abs(low - high), fill: colour }),
        svg("path", { class: "level", d: `M${MARGIN.left} ${y}H${size.width - MARGIN.right}`, stroke: colour }));
    } else {
      g.append(svg("path", { class: "bar", d: `M${X(x)} ${low}V${high}`, stroke: colour }), svg("circle", { class: "ring", cx: X(x), cy: y, r: 5, stroke: colour }));
    }
    into.append(g);
  }

  // guides draws lines of a given slope below the data or, where there is more room, above.
  guides(into, lines) {
    const { X, Y } = this;
    const [lo, hi] = X.domain();
    const [bottom, top] = Y.domain();
    const from = lo * (hi / lo) ** 0.3;
    const points = lines.flatMap((l) => xOf(this.data, l, this.state.x).map((x, k) => [x, l.low?.[k] > 0 ? l.low[k] : l.y[k], l.high?.[k] ?? l.y[k]]))
      .filter(([x, low, high]) => x > 0 && low > 0 && Number.isFinite(high));
    (this.data.guides ?? []).forEach((guide, i) => {
      const slope = guide.Slope;
      const room = (i + 1) * 0.05 * Math.log(top / bottom);
      const heights = [
        Math.min(...points.map(([x, low]) => Math.log(low) - slope * Math.log(x))) - room,
        Math.max(...points.map(([x, , high]) => Math.log(high) - slope * Math.log(x))) + room,
      ];
      const y = (height, x) => Math.exp(height + slope * Math.log(x));
      const inside = (height) => [...Array(20).keys()].filter((k) => { const v = y(height, from * (hi / from) ** (k / 19)); return v > bottom && v < top; }).length;
      const height = inside(heights[0]) >= Math.min(10, inside(heights[1])) ? heights[0] : heights[1];
      const start = Math.min(hi, Math.max(from, Math.exp((Math.log(top) - height) / slope) || from)); // where a falling line enters
      const at = (x) => Y(y(height, x));
      into.append(svg("path", { class: "guide", d: `M${X(start)} ${at(start)}L${X(hi)} ${at(hi)}` }, svg("title", {}, plain(guide.Label))),
        svg("text", { class: "number guide-label", x: X(start) + 4, y: Math.max(MARGIN.top + 12, at(start) - 6) }, ...spans(guide.Label)));
    });
  }

  // ratio draws ours divided by the published values below the panel.
  ratio(lines, marks) {
    const { data, state, size } = this;
    const top = size.panel + 4;
    const bottom = size.height - 22;
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
      g.append(svg("text", { class: "number", x: MARGIN.left, y: top + 20 }, "no curve has a published number above zero"));
    } else {
      const all = items.flatMap((r) => [r.v, r.low, r.high, r.pl, r.ph]).filter((v) => v > 0 && Number.isFinite(v));
      const reach = Math.max(1.05, ...all.map((v) => Math.max(v, 1 / v))) ** 1.1;
      const R = scaleLog().domain([1 / reach, reach]).range([bottom, top]);
      g.append(svg("rect", { class: "frame", x: MARGIN.left, y: top, width: size.width - MARGIN.left - MARGIN.right, height: bottom - top }));
      for (const v of [1 / reach ** 0.8, 1, reach ** 0.8]) {
        g.append(svg("path", { class: v === 1 ? "one" : "grid", d: `M${MARGIN.left} ${R(v)}H${size.width - MARGIN.right}` }),
          svg("text", { class: "number", x: MARGIN.left - 6, y: R(v) + 4, "text-anchor": "end" }, String(Number(v.toPrecision(3)))));
      }
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
    const l = this.data.lines[this.cursor.line];
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
    return this.shown().map((l) => ({ swatch: this.swatch(l), label: plain(l.label) }));
  }
}

// spans turns a text with superscripts and subscripts into parts of a text of a figure.
function spans(text) {
  return scripts(text).map((n) => (typeof n === "string" ? n : svg("tspan", { "font-size": "70%", "baseline-shift": n.localName === "sup" ? "super" : "sub" }, n.textContent)));
}
