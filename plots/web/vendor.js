// What the report takes from d3; bundle.sh makes vendor/d3.js of it.
export { scaleLinear, scaleLog } from "d3-scale";
export { area, line } from "d3-shape";
