// The runs and the exercise of a lesson, in the page.

import { Bar, Bench } from "./bench.js";
import { html, say, show } from "./dom.js";
import { inline } from "./inline.js";
import { Program } from "./program.js";
import { Figures } from "./result.js";

// A Run is a place of a lesson where something is measured.
class Run {
  constructor(section, lab) {
    Object.assign(this, { section, lab, id: section.dataset.run, done: false });
    this.bar = new Bar(lab.program, section.dataset.of ? "Run it with the change" : "Run");
    this.bar.run.addEventListener("click", () => this.start(true));
    const drawn = html("div", {});
    this.figures = new Figures(drawn);
    this.ids = section.dataset.figures.split(" ");
    this.own = html("details", { class: "own", hidden: true }, html("summary", {}, "Change the spec and run it again"));
    this.own.addEventListener("toggle", () => this.bench(), { once: true });
    section.append(this.bar.box, drawn, this.own);
    this.before = lab.lesson.questions.filter((q) => q.section.compareDocumentPosition(section) & Node.DOCUMENT_POSITION_FOLLOWING);
  }

  // update allows the run once the questions before it are answered.
  update() {
    const open = this.before.filter((q) => !q.given);
    this.bar.run.disabled = this.bar.running || open.length > 0;
    this.bar.run.title = open.length ? `Make prediction ${this.lab.lesson.index(open[0])} first.` : "";
  }

  async spec() {
    this.known ??= await this.bar.call("lesson", { ...this.lab.taking(), run: this.id });
    return this.known;
  }

  // start runs it, after those before that have not run: their records are compared.
  async start(here) {
    if (this.bar.running) return;
    this.bar.say("");
    for (const r of this.lab.runs) {
      if (r === this) break;
      if (!r.done) await r.start(false);
      if (!r.done) return;
    }
    try {
      const spec = await this.spec();
      const { cells, refused, mistakes } = await this.bar.call("check", spec);
      if (refused || mistakes.length) return this.bar.say(refused || mistakes[0].text);
      const ended = await this.bar.work(spec, cells, async (end) => {
        if (end) return;
        const r = await this.lab.program.call("show", spec);
        const some = (r.figures.figures ?? []).map((f, i) => [f, r.captions[i]]).filter(([f]) => this.ids.includes(f.id));
        this.figures.show({ ...r.figures, id: this.id, figures: some.map(([f]) => f) }, some.map(([, c]) => c), (data) => this.lab.lesson.drawnOn(this.id, data));
      });
      if (!ended) return this.update();
      this.done = true;
      await this.lab.tell(this);
      this.own.hidden = false;
      if (here) this.lab.lesson.unfold(this);
    } catch (e) {
      this.bar.fail(e);
    }
    this.update();
  }

  // bench offers the spec to change.
  async bench() {
    const spec = await this.spec();
    const b = new Bench(this.own, this.lab.program, { out: "own/" + this.id, set: spec.set });
    b.set(spec.text, spec.file, spec.profile || "paper");
  }
}

// An Exercise is the spec that the learner edits.
class Exercise {
  constructor(section, lab) {
    Object.assign(this, { section, lab });
    this.box = html("div", {});
    this.says = html("div", { class: "judged", role: "status" });
    this.start = html("button", { type: "button", click: () => this.open() }, "Open the spec");
    section.append(html("p", { class: "tools" }, this.start), this.box, this.says);
    if (lab.lesson.answers.mine.exercise) this.open();
  }

  async open() {
    this.start.disabled = true;
    try {
      const bar = (this.bar = new Bench(this.box, this.lab.program, { out: "own/exercise" }));
      bar.set(this.lab.lesson.answers.mine.exercise ?? (await bar.call("exercise", this.lab.taking())), this.section.dataset.file, "paper");
      this.check = html("button", { type: "button", class: "check", click: () => this.grade() }, "Check my solution");
      bar.run.after(" ", this.check);
      this.start.hidden = true;
    } catch (e) {
      this.start.disabled = false;
      this.says.textContent = e.message;
    }
  }

  // grade runs the spec and judges it, in a worker that can be stopped.
  async grade() {
    const text = this.bar.text.value;
    this.check.disabled = true;
    this.says.replaceChildren("checking…");
    try {
      const g = await this.lab.program.once("grade", { ...this.lab.taking(), text });
      this.lab.lesson.answers.change((lesson) => Object.assign(lesson, { exercise: text, solved: !!lesson.solved || g.solved }));
      const words = html("p", {});
      words.innerHTML = `<b class="${g.solved ? "good" : "bad"}">${g.solved ? "Solved." : "Not yet."}</b> ` + inline(g.says);
      this.says.replaceChildren(words);
      say(words.textContent);
      this.lab.lesson.count();
    } catch (e) {
      this.says.textContent = e.message;
    }
    this.check.disabled = false;
  }
}

// A Lab runs what a lesson runs.
export class Lab {
  constructor(lesson) {
    this.lesson = lesson;
    this.program = new Program(lesson.root.dataset.program);
    this.runs = [...lesson.root.querySelectorAll("section.measure")].map((s) => new Run(s, this));
    this.exercise = new Exercise(lesson.root.querySelector("section.exercise"), this);
    this.places = [...lesson.root.querySelectorAll(".value")];
  }

  taking = () => ({ lesson: this.lesson.root.dataset.name });

  // tell puts what a run says into the lesson.
  async tell(run) {
    const texts = this.places.map((e) => ({ run: e.dataset.run, text: e.dataset.text }));
    const told = await this.program.call("tell", { ...this.taking(), run: run.id, texts });
    for (const q of this.lesson.questions) {
      const key = told.keys[q.ask.id];
      if (key) q.ask.key = { ...key, says: (key.says ?? []).map(inline), measured: q.ask.kind === "choice" ? q.ask.options[key.choice - 1] : inline(key.measured) };
      q.undecided = told.undecided[q.ask.id];
    }
    this.places.forEach((e, i) => (e.textContent = told.texts[i]));
    this.lesson.root.querySelectorAll(".told").forEach((box, i) => {
      box.querySelector(".measured-numbers")?.remove();
      const lines = told.numbers[i] ?? [];
      if (!lines.length) return;
      const list = html("ul", {}, ...lines.map((line) => {
        const li = html("li", {});
        li.innerHTML = inline(line);
        return li;
      }));
      box.append(html("div", { class: "measured-numbers" }, html("p", {}, "Measured, with 95 % intervals over seeds:"), list));
    });
    run.figures.show(told.figures, told.captions, (data) => this.lesson.drawnOn(run.id, data));
  }

  update() {
    for (const r of this.runs) r.update();
  }

  // shut lists the runs before an element that have not ended.
  shut = (element) => this.runs.filter((r) => !r.done && r.section.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
}
