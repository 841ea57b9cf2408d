"use strict";
// Two ticks of each axis and the curves of a picture are clicked, or typed; the page writes the command that reads them.
const [canvas, status, command] = ["canvas", "[role=status]", "pre"].map((name) => document.querySelector(name));
const curves = document.querySelector("[data-curves]"), add = curves.querySelector("button");
const ink = canvas.getContext("2d", { willReadFrequently: true });
const image = new Image(), axes = {}, colours = [];

// field returns an input with its label.
function field(words, into, type = "text") {
  const input = Object.assign(document.createElement("input"), { type, spellcheck: false, oninput: show });
  const label = document.createElement("label");
  label.append(words + " ", input);
  into.append(label);
  return input;
}

for (const axis of ["x", "y"]) {
  const set = document.querySelector(`[data-axis=${axis}]`);
  const ticks = [1, 2].map((n) => ({ at: field(`pixel of tick ${n}`, set), value: field("its value", set) }));
  axes[axis] = { ticks, log: field("logarithmic", set, "checkbox") };
}
const ticks = () => [...axes.x.ticks, ...axes.y.ticks];
const next = () => ticks().find((tick) => tick.at.value === "");

function curve(colour = "#") {
  const row = document.createElement("p");
  add.before(row);
  const own = { name: field("name", row), colour: field("colour", row) };
  own.colour.value = colour;
  colours.push(own);
  show();
  own.name.focus({ preventScroll: true });
}
add.onclick = () => curve();

canvas.onclick = (event) => {
  const box = canvas.getBoundingClientRect(), tick = next();
  const [x, y] = [Math.floor((event.clientX - box.left) * canvas.width / box.width), Math.floor((event.clientY - box.top) * canvas.height / box.height)];
  if (!tick) return curve(inked(x, y));
  tick.at.value = axes.x.ticks.includes(tick) ? x : y;
  tick.value.focus({ preventScroll: true });
  show();
};

// inked returns the strongest colour near a pixel: that of a line, without its blurred edges.
function inked(x, y) {
  ink.drawImage(image, 0, 0);
  const { data } = ink.getImageData(x - 2, y - 2, 5, 5);
  let best = [255, 255, 255], most = -1;
  for (let i = 0; i < data.length; i += 4) {
    const rgb = [...data.slice(i, i + 3)], strength = 2 * (Math.max(...rgb) - Math.min(...rgb)) + 255 - Math.max(...rgb);
    if (data[i + 3] === 255 && strength > most) [best, most] = [rgb, strength];
  }
  return "#" + best.map((v) => v.toString(16).padStart(2, "0")).join("");
}

// show draws the ticks over the picture and writes the command.
function show() {
  ink.fillStyle = "#fff";
  ink.fillRect(0, 0, canvas.width, canvas.height);
  ink.drawImage(image, 0, 0);
  ink.fillStyle = "#d33";
  for (const tick of ticks().filter((t) => t.at.value !== "")) {
    const at = Number(tick.at.value), across = axes.x.ticks.includes(tick);
    ink.fillRect(...(across ? [at, 0, 1, canvas.height] : [0, at, canvas.width, 1]));
  }
  const tick = next();
  for (const t of ticks()) t.at.classList.toggle("next", t === tick);
  status.textContent = tick ? `Click a tick of the ${axes.x.ticks.includes(tick) ? "horizontal" : "vertical"} axis, or type its pixel, and type its value.` : "Click a curve, and name it. Without curves, all colours that are no grey are looked for.";
  const quoted = (text) => /^[\w.,=/-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
  const axis = (a) => (a.log.checked ? "log," : "") + a.ticks.map((t) => `${t.at.value || "?"}=${t.value.value || "?"}`).join(",");
  const list = colours.filter((c) => /^#[0-9a-f]{6}$/i.test(c.colour.value)).map((c) => " --curve " + quoted((c.name.value ? c.name.value + "=" : "") + c.colour.value));
  command.textContent = `${document.body.dataset.command ?? "repro trace"} ${quoted(document.body.dataset.file ?? "FIGURE.png")} --x ${quoted(axis(axes.x))} --y ${quoted(axis(axes.y))}${list.join("")} --write STEM`;
}

image.onload = () => {
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  show();
};
image.src = "/figure";
for (const [key, path] of [["file", "/name"], ["command", "/command"]]) {
  fetch(path).then((answer) => answer.text()).then((text) => {
    document.body.dataset[key] = text;
    show();
  });
}
