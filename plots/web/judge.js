// How far a prediction is from what was measured. These are the rules of lessons.Score, which judges in the terminal.

import { number } from "./numbers.js";

// judge returns whether an answer is right, its score from 0 to 1 (part), and what to say: what the lesson says of it, and how far it is, both as HTML.
export function judge(ask, key, answer) {
  switch (ask.kind) {
    case "choice":
      return { right: answer.choice === key.choice, part: Number(answer.choice === key.choice), says: key.says[answer.choice - 1] };
    case "number":
      return judgeNumber(ask, key, answer.number);
    case "order":
      return judgeOrder(ask, key, answer.order);
  }
  return judgeDrawing(ask, key, answer.draw);
}

// off returns how far x is from an interval, in units of what is accepted.
function off(ask, low, high, x) {
  if (x >= low && x <= high) return 0;
  if (ask.margin > 0) return Math.max(low - x, x - high) / ask.margin;
  if (low <= 0 || x <= 0) return Infinity;
  return Math.max(Math.log(low / x), Math.log(x / high)) / Math.log(ask.factor);
}

// part is the score of an answer that is off by so much: it falls to 0 at 4.
const part = (off) => Math.max(0, Math.min(1, (4 - off) / 3));

function judgeNumber(ask, key, x) {
  const far = off(ask, key.low, key.high, x);
  const right = far <= 1;
  let best = -1;
  let nearest = 1;
  if (!right) (ask.wrong ?? []).forEach((w, i) => {
    const d = off(ask, w.near, w.near, x);
    if (d <= nearest) [best, nearest] = [i, d];
  });
  return { right, part: part(far), says: key.says[best], far: `Measured: ${key.measured}. You said ${number(x)}.` };
}

function judgeOrder(ask, key, order) {
  const same = (a, b) => a.length === b.length && a.every((v, i) => v === b[i]);
  const right = same(order, key.order);
  const i = (ask.wrong ?? []).findIndex((w) => same(w.order, order));
  const place = (n) => key.order.indexOf(n);
  const pairs = order.flatMap((a, i) => order.slice(i + 1).map((b) => place(a) < place(b)));
  return { right, part: pairs.filter(Boolean).length / pairs.length, says: right ? undefined : key.says[i], far: `Measured: ${key.measured}.` };
}

const place = (log, v) => (log ? Math.log10(v) : v);

// slope is the least-squares slope of heights on the drawing's axes.
function slope(ask, heights) {
  const xs = ask.at.map((x) => place(ask.axes.logX, x));
  const ys = heights.map((y) => place(ask.axes.logY, y));
  const mean = (v) => v.reduce((a, b) => a + b, 0) / v.length;
  const [mx, my] = [mean(xs), mean(ys)];
  return xs.reduce((s, x, i) => s + (x - mx) * (ys[i] - my), 0) / xs.reduce((s, x) => s + (x - mx) ** 2, 0);
}

// bend is how far heights leave a line of a slope, from the lowest to the highest, on the drawing's axes.
function bend(ask, heights, slope) {
  const off = heights.map((y, i) => place(ask.axes.logY, y) - slope * place(ask.axes.logX, ask.at[i]));
  return Math.max(...off) - Math.min(...off);
}

// distance is the mean distance of two curves on the vertical axis; where only the form counts, after the best shift.
function distance(ask, drawn, measured) {
  const gaps = drawn.map((y, i) => place(ask.axes.logY, y) - place(ask.axes.logY, measured[i]));
  let shift = 0;
  if (ask.shape) {
    const sorted = [...gaps].sort((a, b) => a - b);
    const n = sorted.length;
    shift = (sorted[Math.floor((n - 1) / 2)] + sorted[Math.ceil((n - 1) / 2)]) / 2;
  }
  return gaps.reduce((s, g) => s + Math.abs(g - shift), 0) / gaps.length;
}

function judgeDrawing(ask, key, drawn) {
  const d = distance(ask, drawn, key.draw);
  const right = d <= ask.margin;
  const [mine, theirs] = [slope(ask, drawn), slope(ask, key.draw)];
  let best = -1;
  let nearest = Infinity;
  if (!right) (ask.wrong ?? []).forEach((w, i) => {
    const within = w.within ?? 0;
    const gap = bend(ask, drawn, Math.max(w.slope - within, Math.min(w.slope + within, mine)));
    if (gap < nearest && gap <= (place(ask.axes.logY, ask.axes.range[1]) - place(ask.axes.logY, ask.axes.range[0])) / 20) [best, nearest] = [i, gap];
  });
  const unit = ask.axes.logY ? "powers of ten" : "units of the axis";
  const far = `Your curve is ${number(Number(d.toPrecision(2)))} ${unit} from the measured one on average${ask.shape ? ", moved to where it fits best" : ""}; its slope is ${number(Number(mine.toPrecision(2)))}, the measured one ${number(Number(theirs.toPrecision(2)))}.`;
  return { right, part: part(d / ask.margin), says: key.says[best], far };
}
