// What every page of the documentation does: it leads to the search, copies code, and marks where the reader is.

import { button } from "./dom.js";
import { copy } from "./download.js";

// copying gives every block of code a button.
function copying() {
  for (const block of document.querySelectorAll(".code")) {
    const b = button("copy", undefined, async () => {
      await copy(block.querySelector("code").textContent.trimEnd());
      b.textContent = "copied";
      setTimeout(() => (b.textContent = "copy"), 1500);
    });
    b.setAttribute("aria-label", "copy this block");
    block.append(b);
  }
}

// searching shows the field for the search; Enter leads to the page that searches, unless this is it.
function searching() {
  const form = document.querySelector("form[role=search]");
  if (!form) return;
  form.hidden = false;
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const words = form.elements.q.value.trim();
    if (words && !document.querySelector(".results")) location.href = document.body.dataset.root + "search.html#q=" + encodeURIComponent(words);
  });
  addEventListener("keydown", (e) => {
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input, textarea, select")) return;
    e.preventDefault();
    form.elements.q.focus();
  });
}

// reading marks the heading above the text that is read in the table of contents.
function reading() {
  const links = new Map([...document.querySelectorAll(".contents a")].map((a) => [decodeURIComponent(a.hash.slice(1)), a]));
  if (!links.size) return;
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const mark = () => {
    const here = headings.filter((h) => h.getBoundingClientRect().top < 120).at(-1);
    for (const [id, a] of links) a.classList.toggle("here", id === here?.id);
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

document.documentElement.classList.add("js");
copying();
searching();
reading();
