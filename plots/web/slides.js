// The script of slides: one at a time, by keyboard; s shows the speaker's notes.

import { button, say } from "./dom.js";
import { Drawing } from "./drawing.js";

const slides = [...document.querySelectorAll(".slide")];
const root = document.documentElement;
let at = 0;

// turn shows a slide.
function turn(to) {
  at = Math.max(0, Math.min(slides.length - 1, to));
  slides.forEach((s, i) => s.classList.toggle("now", i === at));
  count.textContent = `${at + 1} / ${slides.length}`;
  try {
    history.replaceState(null, "", "#" + (at + 1));
  } catch {
    // some browsers allow no change of the address of a file
  }
  say(slides[at].querySelector("h1, h2").textContent);
  scrollTo(0, 0);
  fit();
}

// fit makes the words of a drawing grow with the slide.
const fit = () => root.style.setProperty("--zoom", slides[at].clientWidth / 750);

const count = document.createElement("span");
const nav = document.querySelector(".turns");
nav.hidden = false;
const speak = button("notes (s)", false, () => {
  speak.setAttribute("aria-pressed", String(root.classList.toggle("speaking")));
  fit();
});
const back = button("←", undefined, () => turn(at - 1));
const on = button("→", undefined, () => turn(at + 1));
back.setAttribute("aria-label", "previous slide");
on.setAttribute("aria-label", "next slide");
nav.append(speak, back, count, on);

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || e.target.closest?.("input, textarea, [role=slider], summary")) return;
  const by = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity }[e.key];
  if (e.key === "s") speak.click();
  else if (by && !(e.key === " " && e.target.closest?.("button"))) {
    e.preventDefault();
    turn(at + by);
  }
});
addEventListener("resize", fit);
addEventListener("hashchange", () => turn(Number(location.hash.slice(1)) - 1 || 0));

for (const box of document.querySelectorAll("[data-ask]")) new Drawing(box, JSON.parse(box.dataset.ask), () => {});
root.classList.add("js");
turn(Number(location.hash.slice(1)) - 1 || 0);
