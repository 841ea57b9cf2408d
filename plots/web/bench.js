// A bench: a spec that a reader edits, by letters or by sliders, and runs.

import { html, say } from "./dom.js";
import { Stopped } from "./program.js";
import { Figures, verdicts } from "./result.js";
import { STEPS, moved, numbers } from "./toml.js";

const PAUSE = 350; // milliseconds after the last letter before the spec is checked
const SHOW = 700; // between two drawings of a run
const ASLEEP = 15_000; // without a word from a run, after the tab was looked at again
const SILENT = 60_000; // without a word while it runs

const wait = (ms) => new Promise((yes) => setTimeout(yes, ms));

let benches = 0;

// A Bar runs something with a button, a bar and a way to stop.
export class Bar {
  constructor(program, words) {
    this.program = program;
    this.run = html("button", { type: "button", class: "run" }, words);
    this.stop = html("button", { type: "button", disabled: true, click: () => program.stop() }, "Stop");
    this.bar = html("progress", { max: 1, value: 0, "aria-label": "progress of the run", hidden: true });
    this.state = html("span", { role: "status" });
    this.note = html("p", { class: "note", role: "status", hidden: true });
    this.box = html("div", {}, this.note, html("p", { class: "tools" }, this.run, this.stop, this.bar, this.state));
    for (const event of ["visibilitychange", "resume"]) document.addEventListener(event, () => this.woken());
  }

  say(text) {
    this.note.textContent = text;
    this.note.hidden = !text;
  }

  fail(e) {
    this.state.textContent = "";
    this.say(e.message || String(e));
  }

  // call loads the program, saying so, and calls it.
  async call(method, request) {
    let loading = false;
    const desk = await this.program.start((bytes) => {
      loading = true;
      this.state.textContent = `loading the program: ${(bytes / 1e6).toFixed(1)} MB`;
    });
    if (loading) this.state.textContent = "";
    return desk.call(method, request);
  }

  // work runs cells of a spec. show is called when there is something new, and at the end with true. It returns whether it has ended.
  async work(spec, cells, show) {
    if (this.running) return false;
    this.busy(true);
    this.say("");
    let shown = performance.now();
    let showing = null;
    const now = async (end) => {
      if (showing && !end) return;
      await showing;
      if (!end && performance.now() - shown < SHOW) return;
      showing = Promise.resolve(show(end));
      await showing;
      showing = null;
      shown = performance.now();
    };
    const began = performance.now();
    let silence = 0; // since when a silence that the reader knows of lasts
    const watch = setInterval(() => {
      if (silence === this.heard || performance.now() - this.heard < SILENT) return;
      silence = this.heard;
      this.say(`Nothing was heard of the run for ${SILENT / 1000} s: a long step, or the browser ended it. Wait, or stop it: what was measured stays.`);
    }, 1000);
    let ended = false;
    try {
      await this.program.run(spec, {
        told: (states, p) => {
          if (silence === this.heard) this.say("");
          this.heard = performance.now();
          const done = states.reduce((s, w) => s + w.done, 0);
          this.bar.value = Math.min(1, states.reduce((s, w) => s + w.done + w.share, 0) / cells);
          this.state.textContent = `${done} of ${cells} runs; ${p.doing}`;
          if (p.note) this.say(p.note);
        },
        changed: () => void now(false).catch((e) => this.fail(e)),
      });
      await now(true);
      ended = true;
      this.state.textContent = `${cells} runs in ${((performance.now() - began) / 1000).toFixed(1)} s`;
      say("The run has ended.");
    } catch (e) {
      const kept = this.program.desk && !this.program.desk.dead; // the desk has what the runs wrote
      if (kept) await now(true).catch((e) => this.say(e.message));
      if (!(e instanceof Stopped)) this.fail(e);
      if (kept) this.state.textContent = "stopped; what was measured stays";
    }
    clearInterval(watch);
    this.busy(false);
    return ended;
  }

  busy(on) {
    this.running = on;
    this.heard = performance.now();
    this.run.disabled = on;
    this.stop.disabled = !on;
    this.bar.hidden = !on;
    this.bar.value = 0;
  }

  // woken says what happened to a run while nobody looked.
  async woken() {
    if (document.hidden || !this.running) return;
    const before = this.heard;
    await wait(3000);
    if (this.running && this.heard === before && performance.now() - before > ASLEEP) this.say("The browser put this tab to sleep, and the run with it. If it does not go on, stop it and run it again with the tab in view.");
  }
}

// A Bench is an editor with sliders, a bar, and what was measured.
export class Bench extends Bar {
  // fixed are the members of specs besides text, file and profile.
  constructor(box, program, fixed = {}) {
    super(program, "Run");
    this.fixed = fixed;
    const id = "mistakes-" + ++benches;
    this.lines = html("pre", { class: "lines", "aria-hidden": true });
    this.text = html("textarea", { class: "text", "aria-label": "spec", "aria-describedby": id, spellcheck: "false", autocomplete: "off", autocapitalize: "off", rows: 22, wrap: "off" });
    this.mistakes = html("ul", { class: "mistakes wanting", id, role: "alert" });
    this.takes = html("p", { class: "small soft" });
    this.sliders = html("div", { class: "sliders" });
    this.verdicts = html("div", { class: "verdicts" });
    const drawn = html("div", { class: "figures" });
    this.figures = new Figures(drawn);
    this.file = "my.toml";
    this.profile = "paper";
    box.append(html("div", { class: "bench" }, html("div", { class: "editor" }, this.lines, this.text), this.mistakes, this.takes,
      html("details", { open: true }, html("summary", {}, "Sliders"), this.sliders), this.box, drawn, this.verdicts));
    this.text.addEventListener("input", () => this.edited());
    this.text.addEventListener("scroll", () => (this.lines.scrollTop = this.text.scrollTop));
    this.text.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) e.preventDefault(), this.start();
    });
    this.run.addEventListener("click", () => this.start());
  }

  spec = () => ({ file: this.file, text: this.text.value, profile: this.profile, ...this.fixed });

  set(text, file, profile) {
    this.text.value = text;
    this.file = file.replace(/[^\w.-]/g, "").slice(0, 60) || "my.toml";
    this.profile = profile;
    this.slide();
    this.edited(0);
  }

  // edited numbers the lines, and checks the spec when the reader pauses.
  edited(pause = PAUSE) {
    this.wrong = new Set();
    this.number();
    if (pause && !this.sliding) this.slide();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), pause);
  }

  number() {
    const n = this.text.value.split("\n").length;
    this.lines.replaceChildren(...Array.from({ length: n }, (_, i) => html("span", { class: this.wrong.has(i + 1) ? "wrong" : null }, String(i + 1) + "\n")));
    this.lines.scrollTop = this.text.scrollTop;
  }

  // check asks what is wrong with the spec, or what it takes. It returns null if the spec was edited meanwhile.
  async check() {
    const spec = this.spec();
    let c;
    try {
      c = await this.call("check", spec);
    } catch (e) {
      this.fail(e);
      return null;
    }
    if (spec.text !== this.text.value || spec.profile !== this.profile) return null;
    this.wrong = new Set(c.mistakes.map((m) => m.line));
    this.number();
    this.mistakes.replaceChildren(...c.mistakes.map((m) => html("li", {}, m.line ? html("button", { type: "button", click: () => this.go(m.line) }, "line " + m.line) : null, " " + m.text)));
    this.text.setAttribute("aria-invalid", String(c.mistakes.length > 0));
    this.takes.textContent = c.mistakes.length ? "" : c.refused || `${c.cells} runs; a typical processor takes ${c.takes}. A page takes some times that.`;
    this.run.disabled = this.running || c.mistakes.length > 0 || !!c.refused;
    this.checked?.(c);
    return c;
  }

  // go puts the caret at a line.
  go(line) {
    const all = this.text.value.split("\n");
    const before = all.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(before, before + all[line - 1].length);
    this.text.scrollTop = Math.max(0, (line - 5) * (this.text.scrollHeight / all.length));
  }

  found = () => numbers(this.text.value, this.profile).filter((n) => n.value !== 0);

  // slide makes a slider for each number of the spec.
  slide() {
    const found = this.found();
    const groups = new Map();
    found.forEach((n, i) => groups.set(n.group, [...(groups.get(n.group) ?? []), this.slider(n, i)]));
    this.sliders.replaceChildren(...[...groups].map(([group, all]) => html("fieldset", {}, html("legend", {}, group), ...all)));
  }

  slider(first, index) {
    const shown = html("output", {}, first.text);
    const range = html("input", { type: "range", min: -STEPS / 2, max: STEPS / 2, step: 1, value: 0, "aria-label": `${first.key} of ${first.group}`, "aria-valuetext": first.text });
    range.addEventListener("input", () => {
      const now = this.found()[index];
      if (!now) return;
      const text = Number(range.value) === 0 ? first.text : moved(first, Number(range.value));
      this.text.value = this.text.value.slice(0, now.from) + text + this.text.value.slice(now.to);
      shown.textContent = text;
      range.setAttribute("aria-valuetext", text);
      this.sliding = true;
      this.edited();
      this.sliding = false;
    });
    return html("label", {}, html("span", {}, first.key), range, shown);
  }

  // start runs the spec.
  async start() {
    if (this.running) return;
    this.state.textContent = "";
    this.say("");
    const c = await this.check();
    if (!c || c.mistakes.length || c.refused) return this.say(c?.refused ?? "");
    const spec = (this.ran = this.spec());
    this.program.clear(spec.out);
    this.figures.clear();
    this.verdicts.replaceChildren();
    await this.work(spec, c.cells, (end) => this.show(spec, end));
    this.ended?.();
  }

  async show(spec, end) {
    const r = await this.program.call("show", spec);
    this.figures.show(r.figures, r.captions);
    if (!end) return;
    this.verdicts.replaceChildren(verdicts(r.verdicts));
    if (r.notes.length) this.say(r.notes.join(" "));
  }
}
