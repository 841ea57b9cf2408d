// The ranges of the axes and the places of guides, as plots/ranges.go and plots/guides.go find them. Coordinates are those of a
// drawing: the numbers, or their decimal logarithms on a logarithmic axis.

const PAD = { x: 0.02, y: 0.05, rug: 0.12 }; // room between the data and the frame, as a share of the range
const GUIDE = { from: 0.3, apart: 0.05, most: 0.15, places: 12 };

// coordinate returns the function from numbers to coordinates. A number without a place becomes NaN.
export const coordinate = (log) => (v) => {
  const c = log ? (v > 0 ? Math.log10(v) : NaN) : Number(v ?? NaN);
  return Number.isFinite(c) ? c : NaN;
};

// extent returns the ends of the coordinates that are known.
const extent = (values) => values.reduce(([lo, hi], v) => (Number.isNaN(v) ? [lo, hi] : [Math.min(lo, v), Math.max(hi, v)]), [Infinity, -Infinity]);
const empty = ([lo, hi]) => !(lo <= hi);

// toward enlarges a range to hold another, by the given length at most on either side.
function toward([lo, hi], other, most) {
  if (empty(other)) return [lo, hi];
  return [Math.max(Math.min(lo, other[0]), lo - most), Math.min(Math.max(hi, other[1]), hi + most)];
}

// padded adds room on both sides. A range of one point becomes a decade or, on a linear axis, as long as the number.
function padded([lo, hi], share, log) {
  if (lo > hi) return [0, 1];
  if (hi - lo < 1e-9 * Math.max(1, Math.abs(lo))) {
    const half = !log && lo !== 0 ? 0.5 * Math.abs(lo) : 0.5;
    return [lo - half, hi + half];
  }
  const pad = share * (hi - lo);
  return [!log && lo >= 0 ? Math.max(0, lo - pad) : lo - pad, hi + pad];
}

export const rangeX = (values, log) => padded(extent(values.map(coordinate(log))), PAD.x, log);

// rangeY returns the range of the published values (exact) and of the curves, { y, around, broken }. The values around a curve, its band
// or its seeds, and curves that diverged enlarge it only by a share, so that they do not flatten the other curves.
export function rangeY(exact, curves, log, rug) {
  const at = coordinate(log);
  const of = (lists) => extent(lists.flat().map(at));
  let sound = of([exact, ...curves.filter((c) => !c.broken).map((c) => c.y)]);
  const diverged = of(curves.filter((c) => c.broken).map((c) => c.y));
  if (empty(sound)) sound = diverged;
  const [lo, hi] = sound;
  const reach = Math.max(hi - lo, log ? 1 : 0.5 * Math.max(Math.abs(lo), Math.abs(hi)));
  return padded(toward(toward(sound, diverged, 0.25 * reach), of(curves.map((c) => c.around)), 0.5 * reach), rug ? PAD.rug : PAD.y, log);
}

// guideLines puts lines of the given slopes beside curves, which are lists of [x, y]: below them unless there is more room above. It
// returns the ends of the lines and the range of y, enlarged for them unless it is fixed.
export function guideLines(guides, curves, y, fixed) {
  const points = curves.map((c) => c.filter((p) => !p.some(Number.isNaN))).filter((c) => c.length > 1).flat();
  if (!points.length) return { lines: [], y };
  const [lo, hi] = extent(points.map(([x]) => x));
  const from = lo + GUIDE.from * (hi - lo);
  const [bottom, top] = y;
  const near = points.filter(([x, v]) => x >= from && v >= bottom && v <= top);
  let shown = y;
  const lines = guides.map(({ Slope: slope }, i) => {
    let offsets = extent(near.map(([x, v]) => v - slope * x));
    if (empty(offsets)) offsets = [bottom - slope * from, bottom - slope * from];
    const apart = GUIDE.apart * (1 + Math.floor(i / 2)) * (top - bottom);
    const [below, above] = [offsets[0] - apart, offsets[1] + apart].map((at) => [[from, at + slope * from], [hi, at + slope * hi]]);
    const overflow = (line) => line.reduce((sum, [, v]) => sum + Math.max(0, bottom - v) + Math.max(0, v - top), 0);
    const line = overflow(above) < overflow(below) ? above : below;
    if (!fixed) shown = toward(shown, extent(line.map(([, v]) => v)), GUIDE.most * (top - bottom));
    return line;
  });
  return { lines, y: shown };
}

// beside returns the left end of the base line of a label of the given size beside a line of two places on the page, where it hides none of
// the taken places and lies in the frame; undefined if there is no such place. It tries the right end first.
export function beside([[x0, y0], [x1, y1]], [w, h], frame, taken) {
  const gap = 4;
  for (let k = 0; k < 2 * GUIDE.places; k++) {
    const share = 1 - (Math.floor(k / 2) + 0.5) / GUIDE.places;
    const [x, y] = [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
    if (x < frame.left || x > frame.right || y < frame.top || y > frame.bottom) continue;
    const below = k % 2 === 0;
    const left = below === y1 > y0 ? x - w - gap : x + gap;
    const top = below ? y + gap : y - h - gap;
    const inside = left > frame.left + gap && left + w < frame.right - gap && top > frame.top + gap && top + h < frame.bottom - gap;
    if (inside && !taken.some(([px, py]) => px > left - gap && px < left + w + gap && py > top - gap && py < top + h + gap)) return [left, top + 0.8 * h];
  }
  return undefined;
}

// along returns places on the page, a few pixels apart, on the way through some.
export function along(places) {
  return places.flatMap(([x, y], i) => {
    const [px, py] = places[i - 1] ?? [x, y];
    const parts = 1 + Math.floor(Math.min(Math.hypot(x - px, y - py) || 0, 2000) / 3);
    return [...Array(parts).keys()].map((k) => [x + (k / parts) * (px - x), y + (k / parts) * (py - y)]);
  });
}
