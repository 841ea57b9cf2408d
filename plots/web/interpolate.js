// In place of d3-interpolate in vendor/d3.js: the scales of the report have numbers only, and none is made of pieces.
export const interpolateNumber = (a, b) => (t) => a * (1 - t) + b * t;
export const interpolateRound = (a, b) => (t) => Math.round(a * (1 - t) + b * t);
export const interpolate = interpolateNumber;
export const piecewise = null;
