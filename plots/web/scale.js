// From coordinates of a drawing (ranges.js) to places on the page, and paths between them.

import { coordinate } from "./ranges.js";

// scale returns the function that puts numbers between two places on the page. It shows the range [lo, hi] of coordinates.
export function scale(log, [lo, hi], [from, to]) {
  const at = coordinate(log);
  const place = (c) => from + ((c - lo) / (hi - lo)) * (to - from);
  const invert = (p) => {
    const c = lo + ((p - from) / (to - from)) * (hi - lo);
    return log ? 10 ** c : c;
  };
  return Object.assign((v) => place(at(v)), { log, lo, hi, from, to, place, invert });
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
