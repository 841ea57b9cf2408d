// The marks of an axis, which are those of plots/ticks.go. This module imports nothing, so that a test can hold both to the same marks.

const INTERVALS = 6; // of a linear axis
const DECADES = 10; // labelled on a logarithmic axis
const LEAST = 3; // labels wanted on a logarithmic axis with two powers of ten or fewer
const MOST = 7; // on such an axis
const SLACK = 1e-9;

// ticks returns the marks of an axis that shows [lo, hi], decimal logarithms on a logarithmic axis, and has room for some labels.
// A mark is its place in these coordinates and its label, which is empty or has superscripts as ^{...}.
export function ticks(log, lo, hi, room, decimal) {
  room = Math.max(room, 2);
  if (!log) return linear(lo, hi, Math.min(INTERVALS, room));
  const powers = Math.floor(hi + SLACK) - Math.ceil(lo - SLACK) + 1;
  const few = powers <= 2 && multiples(lo, hi, Math.min(MOST, room));
  if (few) return few;
  if (powers >= 2) return decades(lo, hi, decimal, Math.min(DECADES, room));
  return linear(10 ** lo, 10 ** hi, Math.min(INTERVALS, MOST, room)).filter(([v]) => v > 0).map(([v, label]) => [Math.log10(v), label]);
}

// linear labels round numbers, with at most the given number of intervals, or more if only one mark had a label.
function linear(lo, hi, intervals) {
  for (; ; intervals++) {
    const marks = round(lo, hi, intervals);
    if (marks.filter(([, label]) => label).length >= 2 || intervals >= 2 * INTERVALS) return marks;
  }
}

function round(lo, hi, intervals) {
  const [step, minor] = steps(hi - lo, intervals);
  const edge = SLACK * (hi - lo);
  const marks = [];
  for (let i = Math.ceil((lo - edge) / minor); i * minor <= hi + edge; i++) {
    const v = i * minor;
    const n = Math.round(v / step);
    if (Math.abs(v - n * step) < minor / 2) marks.push([n * step, numeral(n * step, step, Math.max(Math.abs(lo), Math.abs(hi)))]);
    else marks.push([v, ""]);
  }
  return marks;
}

// steps returns the distance between labels, and between marks.
function steps(length, intervals) {
  const unit = 10 ** Math.floor(Math.log10(length / intervals));
  for (const [step, minors] of [[1, 5], [2, 4], [2.5, 5], [5, 5]]) if (length / (step * unit) <= intervals + SLACK) return [step * unit, (step * unit) / minors];
  return [10 * unit, 2 * unit];
}

// numeral writes a multiple of step with the decimals that the step needs, or with a power of ten.
function numeral(v, step, largest) {
  if (v === 0) return "0";
  const exponent = largest >= 1e5 || largest < 1e-2 ? Math.floor(Math.log10(largest) + SLACK) : 0;
  const unit = 10 ** exponent;
  let decimals = 0;
  for (let s = step / unit; decimals < 15 && Math.abs(s - Math.round(s)) > 1e-6 * s; s *= 10) decimals++;
  return minus((v / unit).toFixed(decimals)) + (exponent ? "×" + power(exponent) : "");
}

// decades marks powers of ten and, if each has a label, their multiples.
function decades(lo, hi, decimal, most) {
  const first = Math.floor(lo + SLACK);
  const last = Math.ceil(hi - SLACK);
  const every = 1 + Math.floor((last - first) / (most + 1));
  const plain = decimal && first >= -3 && last <= 4;
  const marks = [];
  for (let k = first; k <= last; k++) {
    if (k >= lo - SLACK && k <= hi + SLACK) marks.push([k, k % every ? "" : plain ? String(Number((10 ** k).toFixed(3))) : power(k)]);
    for (let m = 2; m < 10 && every === 1; m++) {
      const v = k + Math.log10(m);
      if (v > lo && v < hi) marks.push([v, ""]);
    }
  }
  return marks;
}

// multiples labels the multiples 1, 2 and 5 of powers of ten, or more of them if these are too few. It returns null if none of
// these choices has from LEAST to most labels.
function multiples(lo, hi, most) {
  const plain = lo >= -3 - SLACK && hi < 5;
  for (const digits of [[1, 2, 5], [1, 2, 3, 5, 7], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
    const marks = [];
    let labels = 0;
    for (let k = Math.floor(lo); k <= Math.floor(hi + SLACK); k++) {
      for (let m = 1; m < 10; m++) {
        const v = k + Math.log10(m);
        if (v < lo - SLACK || v > hi + SLACK) continue;
        const labelled = digits.includes(m);
        labels += labelled;
        marks.push([v, !labelled ? "" : plain ? (m * 10 ** k).toFixed(Math.max(0, -k)) : (m === 1 ? "" : m + "×") + power(k)]);
      }
    }
    if (labels >= LEAST && labels <= most) return marks;
  }
  return null;
}

const minus = (s) => s.replace("-", "−");
const power = (k) => minus(`10^{${k}}`);
