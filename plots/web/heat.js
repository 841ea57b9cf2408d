// A live figure of heat maps: the drawing on paper, in which the reader points at a cell.

import { tabulate } from "./data.js";
import { html, plain, say, scripts, svg } from "./dom.js";
import { number } from "./numbers.js";

// A HeatMap shows the values of the cell at its cursor.
export class HeatMap {
  constructor(figure, data) {
    Object.assign(this, { figure, data });
    this.cursor = null; // map, row from below, column
    const sheet = figure.querySelector(".sheet");
    this.drawing = sheet.querySelector("svg");
    this.box = html("div", { class: "heat-box" });
    sheet.replaceWith(this.box);
    this.tip = html("div", { class: "tip", hidden: true });
    this.focus = svg("path", { class: "cell", "aria-hidden": true });
    this.drawing.append(this.focus);
    this.box.append(sheet, this.tip);
    const label = plain(data.title) + ". Arrow keys walk from cell to cell, page up and page down from map to map.";
    Object.entries({ class: "heat", tabindex: 0, role: "application", "aria-label": label }).forEach(([k, v]) => this.drawing.setAttribute(k, v));
    this.drawing.addEventListener("pointermove", (e) => this.point(e));
    this.drawing.addEventListener("pointerleave", () => this.leave());
    this.drawing.addEventListener("keydown", (e) => this.key(e));
    this.drawing.addEventListener("focus", () => this.cursor ?? this.place({ map: 0, row: 0, column: 0 }, true));
    this.drawing.addEventListener("blur", () => this.leave());
    tabulate(figure, data);
  }

  // restore and light are what a figure of curves has: a map has no view to restore, and its claims have no curves.
  restore() {}

  light() {}

  // point moves the cursor to the cell below the pointer.
  point(e) {
    const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(this.drawing.getScreenCTM().inverse());
    const inside = ({ at: [x, y, w, h] }) => p.x >= x && p.x < x + w && p.y > y && p.y <= y + h;
    const map = this.data.maps.findIndex(inside);
    if (map < 0) return this.leave();
    const { at: [x, y, w, h], x: xs, y: ys } = this.data.maps[map];
    this.place({ map, row: Math.floor(((y + h - p.y) / h) * ys.length), column: Math.floor(((p.x - x) / w) * xs.length) }, false);
  }

  leave() {
    if (document.activeElement === this.drawing && this.cursor) return;
    this.cursor = null;
    this.tip.hidden = true;
    this.focus.removeAttribute("d");
  }

  // key walks with the keyboard.
  key(e) {
    if (e.key === "Escape") {
      this.cursor = null;
      this.drawing.blur();
      return;
    }
    const by = { ArrowRight: [0, 0, 1], ArrowLeft: [0, 0, -1], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageDown: [1, 0, 0], PageUp: [-1, 0, 0] }[e.key];
    if (!by) return;
    e.preventDefault();
    const { map, row, column } = this.cursor ?? { map: 0, row: 0, column: 0 };
    const maps = this.data.maps;
    const next = (map + by[0] + maps.length) % maps.length;
    const within = (v, n) => Math.max(0, Math.min(v, n - 1));
    this.place({ map: next, row: within(row + by[1], maps[next].y.length), column: within(column + by[2], maps[next].x.length) }, true);
  }

  // place shows the values of a cell and, if the reader came by keys, speaks them.
  place(cursor, aloud) {
    this.cursor = cursor;
    const { data } = this;
    const map = data.maps[cursor.map];
    const [x, y, w, h] = map.at;
    const [nx, ny] = [map.x.length, map.y.length];
    const i = cursor.row * nx + cursor.column;
    const [left, top] = [x + (w * cursor.column) / nx, y + h - (h * (cursor.row + 1)) / ny];
    this.focus.setAttribute("d", `M${left} ${top}h${w / nx}v${h / ny}h${-w / nx}z`);
    const value = (v) => (v === null ? "none" : Number.isFinite(v) ? data.classes?.[v - 1] ?? number(v) : "diverged");
    const rows = [[data.x.label, number(map.x[cursor.column])], [data.y.label, number(map.y[cursor.row])], [data.value, value(map.z[i])]];
    if (map.low && map.low[i] !== null) rows.push([data.band, `${value(map.low[i])} to ${value(map.high[i])}`]);
    if (map.runs) rows.push(["seeds", map.runs.map((r, k) => [map.seeds[k], r[i]]).filter(([, v]) => v !== null).map(([s, v]) => `${s}: ${value(v)}`).join(", ")]);
    else if (map.seeds) rows.push(["seed", String(map.seeds[0])]);
    this.tip.replaceChildren(html("strong", {}, ...scripts(map.title)), html("dl", {}, ...rows.flatMap(([k, v]) => [html("dt", {}, ...scripts(k)), html("dd", {}, v)])));
    this.tip.hidden = false;
    const box = this.box.getBoundingClientRect();
    const cell = this.focus.getBoundingClientRect();
    this.tip.style.left = Math.max(0, Math.min(cell.right - box.left + 8, box.width - this.tip.offsetWidth)) + "px";
    this.tip.style.top = cell.bottom - box.top + 8 + "px";
    if (aloud) say([plain(map.title), ...rows.slice(0, 4).map((r) => plain(r.join(" ")))].join(", "));
  }
}
