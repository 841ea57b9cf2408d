// A figure on which the reader draws a curve before it is measured: with the mouse, a finger, the arrow keys, or numbers.

import { Chart } from "./chart.js";
import { html, say, still, svg } from "./dom.js";
import { number } from "./numbers.js";
import { path, scale, zoomed } from "./scale.js";

const MARGIN = { top: 12, right: 14, bottom: 46 };
const STEPS = 60; // of an arrow key from one end of the axis to the other

// decimal writes a number without an exponent, which ARIA does not know.
const decimal = (v) => v.toLocaleString("en", { useGrouping: false, maximumSignificantDigits: 6 });

// A Drawing asks for heights at given places.
export class Drawing extends Chart {
  // changed is called after the reader has changed the curve.
  constructor(box, ask, changed) {
    const { axes } = ask;
    const figure = html("div", { class: "drawing", "data-figure": "drawing-" + ask.id }, html("div", { class: "sheet" }));
    box.append(figure);
    super(figure, { title: axes.title, x: { label: axes.x, log: axes.logX }, y: { label: axes.y, log: axes.logY }, lines: [] }, changed);
    this.ask = ask;
    this.sliders();
    this.draw();
  }

  build() {
    this.box = html("div", { class: "live-box" });
    this.drawing = svg("svg", { class: "live draw", role: "group", pointerdown: (e) => this.pen(e, true), pointermove: (e) => this.pen(e, false), pointerup: () => (this.last = null), pointercancel: () => (this.last = null) });
    this.box.append(this.drawing);
    this.figure.querySelector(".sheet").replaceWith(this.box);
  }

  // sliders makes a point for every place, and a field for its number.
  sliders() {
    const { ask } = this;
    this.values = ask.at.map(() => null);
    this.drawing.setAttribute("aria-label", `draw ${ask.axes.y} against ${ask.axes.x}`);
    this.marks = ask.at.map((x, i) => svg("circle", {
      class: "anchor-point", r: 9, tabindex: 0, role: "slider", "aria-orientation": "vertical", "aria-label": `${ask.axes.y} at ${number(x)}`,
      "aria-valuemin": decimal(ask.axes.range[0]), "aria-valuemax": decimal(ask.axes.range[1]), keydown: (e) => this.type(e, i),
    }));
    this.fields = ask.at.map((x, i) => html("input", { type: "number", step: "any", "aria-label": `${ask.axes.y} at ${number(x)}`, change: (e) => this.put(i, e.target.value === "" ? null : Number(e.target.value)) }));
    this.box.after(html("details", { class: "tools-numbers" }, html("summary", {}, "Type the numbers"),
      html("div", { class: "tools" }, ...ask.at.map((x, i) => html("label", {}, number(x) + " ", this.fields[i])))));
  }

  // clamp keeps a height on the axis.
  clamp(y) {
    const [lo, hi] = this.ask.axes.range;
    return Math.min(hi, Math.max(lo, y));
  }

  // put sets the height at a place; null clears it.
  put(i, y, aloud) {
    if (this.measured) return;
    this.values[i] = y === null || !Number.isFinite(y) ? null : Number(this.clamp(y).toPrecision(3));
    this.draw();
    this.changed(this);
    if (aloud) say(`${number(this.ask.at[i])}: ${number(this.values[i])}`);
  }

  // pen follows the pointer: it sets the heights at the places that it passes.
  pen(e, down) {
    if (this.measured || (!down && !e.buttons) || (!down && !this.last)) return;
    const box = this.drawing.getBoundingClientRect();
    const [px, py] = [((e.clientX - box.left) * this.size.width) / box.width, ((e.clientY - box.top) * this.size.height) / box.height];
    if (down) {
      e.preventDefault();
      this.drawing.setPointerCapture?.(e.pointerId);
      const near = this.ask.at.reduce((best, x, i) => (Math.abs(this.X(x) - px) < Math.abs(this.X(this.ask.at[best]) - px) ? i : best), 0);
      this.put(near, this.Y.invert(py));
    } else {
      const [lx, ly] = this.last;
      this.ask.at.forEach((x, i) => {
        const at = this.X(x);
        if (at === lx || (at - lx) * (at - px) > 0) return;
        this.put(i, this.Y.invert(px === lx ? py : ly + ((py - ly) * (at - lx)) / (px - lx)));
      });
      const near = this.ask.at.findIndex((x) => Math.abs(this.X(x) - px) < 14);
      if (near >= 0) this.put(near, this.Y.invert(py));
    }
    this.last = [px, py];
  }

  // type moves a point with the keyboard.
  type(e, i) {
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 6, PageDown: -6, Home: -Infinity, End: Infinity };
    const next = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (next) {
      e.preventDefault();
      this.marks[i + next]?.focus();
      return;
    }
    if (!(e.key in steps)) return;
    e.preventDefault();
    const { from: bottom, to: top } = this.Y;
    const from = this.values[i] ?? this.values.slice(0, i).findLast((v) => v !== null) ?? this.Y.invert((bottom + top) / 2);
    const at = this.values[i] === null && Number.isFinite(steps[e.key]) ? this.Y(from) : this.Y(from) - (steps[e.key] * (bottom - top)) / STEPS;
    this.put(i, this.Y.invert(Math.max(top, Math.min(bottom, at))), true);
  }

  // answer returns the heights, null unless there are all.
  answer() {
    return this.values.every((v) => v !== null) ? [...this.values] : null;
  }

  // reveal shows the measured curve over the drawn one.
  reveal(key) {
    this.measured = key;
    this.fields.forEach((f) => (f.disabled = true));
    this.draw();
  }

  draw() {
    const { ask } = this;
    if (!ask) return; // not yet made
    const width = Math.max(280, Math.round(this.box.clientWidth || 640));
    const panel = Math.round(Math.min(400, Math.max(250, width * 0.55)));
    this.size = { width, panel, height: panel };
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${panel}`);
    this.drawing.setAttribute("height", panel);
    this.setY(panel, zoomed(ask.axes.range, ask.axes.logY, 0));
    const right = width - MARGIN.right;
    this.X = scale(ask.axes.logX, zoomed(ask.at, ask.axes.logX), [this.left, right]);
    const clip = "clip-drawing-" + ask.id;
    const focused = this.marks.find((m) => m === document.activeElement); // it leaves the page for a moment
    const inside = svg("g", { "clip-path": `url(#${clip})` });
    const drawn = ask.at.map((x, i) => [this.X(x), this.values[i] === null ? null : this.Y(this.values[i])]).filter(([, y]) => y !== null);
    this.drawing.replaceChildren(
      svg("clipPath", { id: clip }, svg("rect", { x: this.left, y: MARGIN.top - 5, width: right - this.left, height: panel - MARGIN.bottom - MARGIN.top + 10 })),
      ...this.axes(panel), inside, svg("path", { class: "predicted", d: path(drawn) }),
    );
    ask.at.forEach((x, i) => {
      const at = this.X(x);
      const y = this.values[i];
      if (y === null) inside.append(svg("path", { class: "wanted", d: `M${at} ${MARGIN.top}V${panel - MARGIN.bottom}` }));
      const mark = this.marks[i];
      mark.setAttribute("cx", at);
      mark.setAttribute("cy", y === null ? (panel - MARGIN.bottom + MARGIN.top) / 2 : this.Y(y));
      mark.classList.toggle("unset", y === null);
      mark.setAttribute("aria-valuenow", decimal(y ?? ask.axes.range[0])); // a slider has one; the text says that it is not set
      mark.setAttribute("aria-valuetext", y === null ? "not set" : number(y));
      if (this.measured) mark.setAttribute("aria-disabled", "true");
      if (document.activeElement !== this.fields[i]) this.fields[i].value = y ?? "";
      this.drawing.append(mark);
    });
    focused?.focus({ preventScroll: true });
    const { measured } = this;
    if (measured) {
      const points = measured.x.map((x, i) => [this.X(x), this.Y(measured.y[i])]).filter((p) => p.every(Number.isFinite));
      inside.append(svg("path", { class: still() ? "measured" : "measured growing", pathLength: 1, d: path(points) }));
      const [ex, ey] = points.at(-1) ?? [0, 0];
      inside.append(svg("text", { class: "number measured-label", x: Math.min(ex, right - 4), y: ey + 18, "text-anchor": "end" }, "measured"));
    }
  }
}
