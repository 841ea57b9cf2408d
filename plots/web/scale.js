// From numbers to places on the page, and paths between them. Coordinates are the numbers, or their decimal logarithms on a logarithmic axis.

import { number } from "./numbers.js";

// coordinate returns the function from numbers to coordinates. A number without a place becomes NaN.
const coordinate = (log) => (v) => {
  const c = log ? (v > 0 ? Math.log10(v) : NaN) : Number(v ?? NaN);
  return Number.isFinite(c) ? c : NaN;
};

// scale returns the function that puts numbers between two places on the page. It shows a view: a range of coordinates, with marks.
export function scale(log, { range: [lo, hi], marks, minor = [] }, [from, to]) {
  const at = coordinate(log);
  const place = (c) => from + ((c - lo) / (hi - lo)) * (to - from);
  const invert = (p) => {
    const c = lo + ((p - from) / (to - from)) * (hi - lo);
    return log ? 10 ** c : c;
  };
  return Object.assign((v) => place(at(v)), { log, lo, hi, from, to, place, invert, marks, minor });
}

// zoomed returns the view that shows some values, with room on both sides; undefined if none has a place.
export function zoomed(values, log, room = 0.05) {
  const places = values.map(coordinate(log)).filter(Number.isFinite);
  const [lo, hi] = [Math.min(...places), Math.max(...places)];
  const pad = room && (room * (hi - lo) || 0.5);
  return places.length ? { range: [lo - pad, hi + pad], marks: round(lo - pad, hi + pad, log) } : undefined;
}

// round returns marks at round numbers, at most seven: powers of ten, if a logarithmic axis has two.
function round(lo, hi, log) {
  const powers = log && Math.floor(hi) > Math.ceil(lo);
  const [from, to] = log && !powers ? [10 ** lo, 10 ** hi] : [lo, hi];
  const unit = 10 ** Math.floor(Math.log10((to - from) / 6));
  const step = [1, 2, 5, 10].map((k) => k * unit).find((s) => (to - from) / s <= 6 && (!powers || s >= 1));
  const marks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; i++) {
    marks.push(log && !powers ? { at: Math.log10(i * step), label: number(i * step) } : { at: i * step, label: number(powers ? 10 ** (i * step) : i * step) });
  }
  return marks;
}

// stretches splits points where one has no place.
function stretches(points) {
  const out = [[]];
  for (const p of points) p.every(Number.isFinite) ? out.at(-1).push(p) : out.push([]);
  return out.filter((s) => s.length);
}

const joined = (points) => "M" + points.map(([x, y]) => x.toFixed(1) + " " + y.toFixed(1)).join("L");

// path is a line through points [x, y].
export const path = (points) => stretches(points).map(joined).join("");

// area is the area between points [x, low, high].
export const area = (rows) => stretches(rows).map((s) => joined([...s.map(([x, low]) => [x, low]), ...s.reverse().map(([x, , high]) => [x, high])]) + "Z").join("");
