// The page that searches: the text of all sections, and a list of those that have every word.

import { unpack } from "./data.js";
import { html, say } from "./dom.js";
import { read, write } from "./state.js";

const MOST = 40; // sections shown
const AROUND = 90; // characters around the first word found

// rank says how well a section answers words, and 0 if it lacks one of them.
function rank(section, words) {
  let sum = 0;
  for (const word of words) {
    const at = [section.heading, section.page, section.text].map((text) => text.indexOf(word));
    if (at.every((i) => i < 0)) return 0;
    if (at[0] >= 0) sum += starts(section.heading, at[0]) ? 40 : 20;
    if (at[1] >= 0) sum += starts(section.page, at[1]) ? 15 : 8;
    if (at[2] >= 0) sum += 1 + Math.min(8, section.text.split(word).length - 1) + (starts(section.text, at[2]) ? 2 : 0);
  }
  const phrase = words.join(" ");
  return sum + (words.length > 1 && (section.heading + " " + section.text).includes(phrase) ? 25 : 0);
}

// starts reports whether a word starts at a place of a text.
const starts = (text, at) => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]);

// snippet is the text around the first word that is found, with the words marked.
function snippet(section, words) {
  const found = words.map((w) => section.text.indexOf(w)).filter((i) => i >= 0);
  const first = found.length ? Math.min(...found) : 0;
  let from = Math.max(0, first - AROUND);
  if (from > 0) from = section.t.indexOf(" ", from) + 1;
  const part = section.t.slice(from, first + 2 * AROUND);
  const nodes = [from > 0 ? "… " : ""];
  const any = new RegExp("(" + words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "giu");
  part.split(any).forEach((text, i) => nodes.push(i % 2 ? html("mark", {}, text) : text));
  return [...nodes, first + 2 * AROUND < section.t.length ? " …" : ""];
}

// distance is the number of letters to insert, delete, replace or swap with the next that make one word of another, if it is at most most.
function distance(a, b, most) {
  if (Math.abs(a.length - b.length) > most) return Infinity;
  let [before, row] = [[], [...Array(b.length + 1).keys()]];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1])));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length];
}

// corrected is the word of the pages that is most like one that no page has, and the word itself if none is like it.
function corrected(word, vocabulary) {
  if (word.length < 4 || [...vocabulary.keys()].some((w) => w.includes(word))) return word;
  const most = word.length < 7 ? 1 : 2;
  let [best, nearest] = [word, most + 1];
  for (const [w, often] of vocabulary) {
    const d = distance(word, w, most);
    if (d < nearest || (d === nearest && d <= most && often > vocabulary.get(best))) [best, nearest] = [w, d];
  }
  return best;
}

// search makes the page search while the reader types.
export async function search() {
  const results = document.querySelector(".results");
  if (!results) return;
  const input = document.querySelector("form[role=search] input");
  const found = document.querySelector(".found");
  const index = document.querySelector(".index");
  const sections = await unpack(document.querySelector("script.packed").textContent);
  for (const s of sections) Object.assign(s, { heading: s.h.toLowerCase(), page: s.p.toLowerCase(), text: s.t.toLowerCase() });
  const vocabulary = new Map(); // how often each word is on the pages
  for (const s of sections) for (const [w] of (s.heading + " " + s.page + " " + s.text).matchAll(/[\p{L}\p{N}]{3,}/gu)) vocabulary.set(w, (vocabulary.get(w) ?? 0) + 1);
  const show = () => {
    const typed = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const words = typed.map((w) => corrected(w, vocabulary));
    const all = words.length ? sections.map((s) => [rank(s, words), s]).filter(([r]) => r > 0).sort((a, b) => b[0] - a[0]) : [];
    results.hidden = found.hidden = !words.length;
    index.hidden = words.length > 0;
    const instead = words.some((w, i) => w !== typed[i]) ? ` with “${words.join(" ")}”` : "";
    found.textContent = all.length === 1 ? "1 section" : all.length > MOST ? `${all.length} sections, the best ${MOST}` : `${all.length} sections`;
    found.textContent += instead;
    results.replaceChildren(...all.slice(0, MOST).map(([, s]) =>
      html("section", {}, html("h2", {}, html("a", { href: s.u }, s.h || s.p), s.h ? html("span", { class: "soft small" }, " in " + s.p) : null), html("p", {}, ...snippet(s, words)))));
    if (words.length) say(found.textContent);
  };
  const open = () => {
    const q = read()?.q ?? new URLSearchParams(location.search).get("q") ?? undefined;
    if (q !== undefined) input.value = q;
    show();
  };
  input.addEventListener("input", () => {
    write({ q: input.value });
    show();
  });
  addEventListener("hashchange", open);
  input.focus();
  open();
}
