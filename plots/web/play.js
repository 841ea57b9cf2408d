// The script of the playground: a spec to edit, run in the page, share and take along.

import "./pages.js";
import { html, say } from "./dom.js";
import { save } from "./download.js";
import { MOST, pack, unpack } from "./link.js";
import { Program, Refusal, Stopped } from "./program.js";
import { Figures, verdicts } from "./result.js";
import { copy } from "./download.js";
import { read } from "./state.js";
import { STEPS, moved, numbers } from "./toml.js";

const PAUSE = 350; // milliseconds after the last letter before the spec is checked
const SHOW = 700; // between two drawings of a run
const ASLEEP = 15_000; // without a word from a run
const LARGEST = 200e6; // bytes of a file of the reader

const wait = (ms) => new Promise((yes) => setTimeout(yes, ms));

class Play {
  constructor(root) {
    this.root = root;
    for (const name of ["example", "profile", "text", "lines", "mistakes", "run", "stop", "bar", "state", "takes", "sliders", "link", "bundle", "files", "note", "file"]) this[name] = root.querySelector("." + name);
    this.program = new Program(root.dataset.program);
    this.figures = new Figures(root.querySelector(".figures"));
    this.program_ready = false;
    this.listen();
    this.open();
  }

  listen() {
    const on = (element, event, do_) => element.addEventListener(event, do_);
    on(this.text, "input", () => this.edited());
    on(this.text, "scroll", () => (this.lines.scrollTop = this.text.scrollTop));
    on(this.example, "change", () => this.take(this.example.value));
    on(this.profile, "change", () => this.edited(0));
    on(this.run, "click", () => this.start());
    on(this.stop, "click", () => this.halt());
    on(this.link, "click", () => this.share());
    on(this.bundle, "click", () => this.pack());
    on(this.files, "change", () => this.drop(this.files.files));
    on(this.text, "keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) e.preventDefault(), this.start();
    });
    on(this.root, "dragover", (e) => e.preventDefault());
    on(this.root, "drop", (e) => {
      if (!e.dataTransfer.files.length) return;
      e.preventDefault();
      this.drop(e.dataTransfer.files);
    });
    on(document, "visibilitychange", () => this.woken());
    on(window, "hashchange", () => this.open());
  }

  spec = () => ({ file: this.file.value, text: this.text.value, profile: this.profile.value });

  // open shows what the address names. It runs nothing: a link may be a stranger's.
  async open() {
    const at = read() ?? {};
    try {
      if (at.spec) {
        this.set(await unpack(at.spec), at.file ?? "my.toml", at.profile ?? "paper");
        this.say("This spec came with the link. Nothing of it has run; read it before you press run. It can reach nothing but this page.");
      } else if (at.example) await this.take(at.example, at.profile);
      else if (!this.text.value) this.set(this.root.querySelector(".starter").textContent, "my.toml", "paper");
    } catch (e) {
      this.say(e instanceof Refusal ? e.message : "The link is damaged or too long: copy it again.");
    }
    this.examples();
  }

  // examples fills the list of experiments, once the program is there.
  async examples() {
    if (this.listed) return;
    try {
      const all = await this.call("examples", {});
      this.listed = true;
      this.example.append(...all.map((e) => html("option", { value: e.id }, `${e.id}: ${e.title}`)));
      this.example.disabled = false;
    } catch (e) {
      this.fail(e);
    }
  }

  // call loads the program, saying so, and calls it.
  async call(method, request) {
    const desk = await this.program.start((bytes) => {
      this.state.textContent = `loading the program: ${(bytes / 1e6).toFixed(1)} MB`;
    });
    if (!this.program_ready) this.state.textContent = "";
    this.program_ready = true;
    return desk.call(method, request);
  }

  async take(id, profile) {
    if (!id) return;
    const text = await this.call("example", id);
    this.set(text, id.split("/")[1] + ".toml", profile ?? "quick");
    this.say("");
  }

  set(text, file, profile) {
    this.text.value = text;
    this.file.value = file.replace(/[^\w.-]/g, "").slice(0, 60) || "my.toml";
    this.profiles([profile], profile);
    this.edited(0);
  }

  profiles(all, chosen) {
    this.profile.replaceChildren(...all.map((p) => html("option", { value: p, selected: p === chosen }, p)));
  }

  say(text) {
    this.note.textContent = text;
    this.note.hidden = !text;
  }

  fail(e) {
    if (e instanceof Stopped) return;
    this.say(e.message || String(e));
    this.state.textContent = "";
  }

  // edited numbers the lines, and checks the spec when the reader pauses.
  edited(pause = PAUSE) {
    const n = this.text.value.split("\n").length;
    this.wrong = new Set();
    this.number(n);
    if (!this.sliding) this.slide();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), pause);
  }

  number(n) {
    this.lines.replaceChildren(...Array.from({ length: n }, (_, i) => html("span", { class: this.wrong.has(i + 1) ? "wrong" : null }, String(i + 1) + "\n")));
    this.lines.scrollTop = this.text.scrollTop;
  }

  async check() {
    const spec = this.spec();
    this.asked = spec.text + spec.profile;
    let c;
    try {
      c = await this.call("check", spec);
    } catch (e) {
      this.fail(e);
      return null;
    }
    if (this.asked !== this.text.value + this.profile.value) return null; // edited meanwhile
    this.wrong = new Set(c.mistakes.map((m) => m.line));
    this.number(this.text.value.split("\n").length);
    this.mistakes.replaceChildren(...c.mistakes.map((m) => html("li", {}, m.line ? html("button", { type: "button", click: () => this.go(m.line) }, "line " + m.line) : null, " " + m.text)));
    this.text.setAttribute("aria-invalid", c.mistakes.length > 0);
    if (c.profiles) {
      const all = [...new Set([...c.profiles, spec.profile])];
      if (all.join() !== [...this.profile.options].map((o) => o.value).join()) this.profiles(all, spec.profile);
    }
    this.takes.textContent = c.mistakes.length ? "" : c.refused || `${c.cells} runs; on a typical processor ${c.takes}. Here it takes some times that.`;
    this.run.disabled = c.mistakes.length > 0 || !!c.refused;
    return c;
  }

  // go puts the caret at a line.
  go(line) {
    const before = this.text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const end = this.text.value.indexOf("\n", before);
    this.text.focus();
    this.text.setSelectionRange(before, end < 0 ? this.text.value.length : end);
    this.text.scrollTop = Math.max(0, (line - 5) * (this.text.scrollHeight / this.text.value.split("\n").length));
  }

  // slide makes a slider for each number of the spec.
  slide() {
    const found = numbers(this.text.value, this.profile.value).filter((n) => n.value !== 0);
    const groups = Map.groupBy ? Map.groupBy(found, (n) => n.group) : found.reduce((m, n) => m.set(n.group, [...(m.get(n.group) ?? []), n]), new Map());
    this.sliders.replaceChildren(...[...groups].map(([group, all]) => html("fieldset", {}, html("legend", {}, group), ...all.map((n) => this.slider(n, found.indexOf(n))))));
  }

  slider(first, index) {
    const shown = html("output", {}, first.text);
    const range = html("input", { type: "range", min: -STEPS / 2, max: STEPS / 2, step: 1, value: 0, "aria-label": `${first.key} of ${first.group}`, "aria-valuetext": first.text });
    range.addEventListener("input", () => {
      const now = numbers(this.text.value, this.profile.value).filter((n) => n.value !== 0)[index];
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
    const c = await this.check();
    if (!c || c.mistakes.length || c.refused) return;
    const spec = this.spec();
    this.busy(true);
    this.say("");
    this.program.clear();
    this.ran = spec;
    let shown = 0;
    let showing = null;
    const show = async (always) => {
      if (showing) {
        if (!always) return;
        await showing;
      }
      if (!always && performance.now() - shown < SHOW) return;
      showing = this.show(spec, always);
      await showing;
      showing = null;
      shown = performance.now();
    };
    const began = performance.now();
    try {
      await this.program.run(spec, {
        told: (states, p) => {
          this.heard = performance.now();
          const done = states.reduce((s, w) => s + w.done, 0);
          const share = states.reduce((s, w) => s + w.done + w.share, 0) / c.cells;
          this.bar.value = Math.min(1, share);
          this.state.textContent = `${done} of ${c.cells} runs; ${p.doing}`;
          if (p.note) this.say(p.note);
        },
        changed: () => void show(false).catch((e) => this.fail(e)),
      });
      await show(true);
      this.state.textContent = `${c.cells} runs in ${((performance.now() - began) / 1000).toFixed(1)} s`;
      say("The run has ended.");
    } catch (e) {
      if (e instanceof Stopped) {
        this.state.textContent = "stopped; what was measured stays";
        await show(true).catch((e) => this.fail(e));
      } else this.fail(e);
    }
    this.busy(false);
  }

  async show(spec, verdict) {
    const r = await this.program.call("show", spec);
    this.figures.show(r.figures, r.captions);
    if (verdict) {
      this.root.querySelector(".verdicts").replaceChildren(verdicts(r.verdicts));
      if (r.notes.length) this.say(r.notes.join(" "));
      this.bundle.disabled = false;
    }
  }

  halt() {
    this.program.stop();
  }

  busy(on) {
    this.running = on;
    this.heard = performance.now();
    this.run.disabled = on;
    this.stop.disabled = !on;
    this.bar.hidden = !on;
    this.bar.value = 0;
    if (on) {
      this.figures.clear();
      this.root.querySelector(".verdicts").replaceChildren();
      this.bundle.disabled = true;
    }
  }

  // woken says what happened to a run while nobody looked.
  async woken() {
    if (document.hidden || !this.running) return;
    const before = this.heard;
    await wait(3000);
    if (this.running && this.heard === before && performance.now() - before > ASLEEP) this.say("The browser put this tab to sleep, and the run with it. If it does not go on, stop it and run it again with the tab in view.");
  }

  // share puts the spec into the address and copies it.
  async share() {
    if (this.text.value.length > MOST) return this.say("The spec is too long for a link: save it as a file.");
    const packed = await pack(this.text.value);
    const url = new URL(location.href);
    url.hash = `spec=${packed}&file=${encodeURIComponent(this.file.value)}&profile=${encodeURIComponent(this.profile.value)}`;
    history.replaceState(null, "", url);
    await copy(url.href);
    this.say(`The link is copied and in the address bar; it has the spec, ${url.href.length} letters.`);
  }

  // pack saves what was measured as a bundle.
  async pack() {
    try {
      const bytes = await this.program.call("bundle", this.ran);
      save(this.ran.file.replace(/\.toml$/, "") + ".zip", "application/zip", bytes);
    } catch (e) {
      this.fail(e);
    }
  }

  // drop takes files of the reader: specs into the editor, data beside it.
  async drop(files) {
    for (const f of files) {
      if (f.size > LARGEST) {
        this.say(`${f.name} has ${(f.size / 1e6).toFixed(0)} MB; a page takes ${LARGEST / 1e6}.`);
        continue;
      }
      if (f.name.endsWith(".toml")) {
        this.set(await f.text(), f.name, "paper");
        this.say("");
        continue;
      }
      await this.program.put(f.name, new Uint8Array(await f.arrayBuffer()));
      this.say(`${f.name} is in this page and stays in it. Name it in the spec: [data] file = "${f.name}"`);
      this.edited(0);
    }
    this.files.value = "";
  }
}

const root = document.querySelector(".play");
if (root?.dataset.program) new Play(root);
