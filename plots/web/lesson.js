// The script of a lesson: it asks before it shows, keeps the answers in this browser, and puts them beside what was measured.

import { Answers } from "./answers.js";
import "./pages.js";
import { between } from "./data.js";
import { button, html, say, show } from "./dom.js";
import { Drawing } from "./drawing.js";
import { judge } from "./judge.js";
import { Lab } from "./lab.js";
import { number } from "./numbers.js";
import { save } from "./download.js";

const WHY = "Why do you expect that?";

// A Question asks for one prediction.
class Question {
  constructor(section, lesson) {
    Object.assign(this, { section, lesson, ask: JSON.parse(section.dataset.ask) });
    const given = lesson.answers.mine.answers?.[this.ask.id];
    this.given = sound(this.ask, given) ? given : null;
    this.title = section.querySelector("h2").textContent;
    this.build();
    if (this.given && !this.given.skipped) this.fill(this.given);
    if (this.given) this.settle();
  }

  // build puts a form in place of the plain text.
  build() {
    const { ask, section } = this;
    const name = "answer-" + ask.id;
    this.why = html("textarea", { rows: 2, id: "why-" + ask.id });
    this.note = html("p", { class: "wanting small", role: "alert" });
    const choice = (text, i) => html("label", { class: "option" }, html("input", { type: "radio", name, value: i + 1 }), rich(text));
    let body;
    if (ask.kind === "choice") body = html("fieldset", {}, html("legend", { class: "hidden" }, this.title), ...ask.options.map(choice));
    else if (ask.kind === "number") body = html("p", {}, html("label", {}, "Your number ", (this.number = html("input", { type: "text", inputmode: "decimal", size: 10 })), ask.unit ? " " + ask.unit : ""));
    else if (ask.kind === "order") body = this.ordering();
    else body = html("div");
    this.buttons = html("p", { class: "tools" }, html("button", { type: "submit" }, "This is my prediction"), button("show me without", undefined, () => this.skip(), "show what was measured without a prediction"));
    this.form = html("form", { submit: (e) => this.submit(e), novalidate: true }, body, html("p", { class: "why" }, html("label", { for: "why-" + ask.id }, WHY), this.why), this.note, this.buttons);
    section.querySelector(".static").replaceWith(this.form);
    if (ask.kind === "draw") this.drawing = new Drawing(body, ask, () => (this.note.textContent = ""));
  }

  // ordering makes a list whose items move up and down.
  ordering() {
    this.order = this.ask.options.map((_, i) => i + 1);
    this.list = html("ol", { class: "ordering" });
    this.arrange();
    return html("div", {}, html("p", { class: "small soft" }, "Bring them into rising order: the smallest first."), this.list);
  }

  arrange(focus) {
    const move = (at, by) => {
      [this.order[at], this.order[at + by]] = [this.order[at + by], this.order[at]];
      this.arrange([at + by, by]);
      say(`${rich(this.ask.options[this.order[at + by] - 1]).textContent}: place ${at + by + 1}`);
    };
    this.list.replaceChildren(...this.order.map((n, at) => {
      const text = this.ask.options[n - 1];
      const arrow = (sign, by, word) => {
        const b = button(sign, undefined, () => move(at, by));
        b.setAttribute("aria-label", `${word}: ${rich(text).textContent}`);
        b.disabled = this.settled || at + by < 0 || at + by >= this.order.length;
        return b;
      };
      return html("li", {}, html("span", { class: "moves" }, arrow("↑", -1, "move up"), arrow("↓", 1, "move down")), " ", rich(text));
    }));
    if (focus) {
      const buttons = this.list.children[focus[0]].querySelectorAll("button");
      const b = buttons[focus[1] < 0 ? 0 : 1];
      (b.disabled ? buttons[focus[1] < 0 ? 1 : 0] : b).focus();
    }
  }

  // read returns the answer in the form, or says what is missing.
  read() {
    const { ask } = this;
    const answer = { why: this.why.value.trim() };
    if (ask.kind === "choice") {
      answer.choice = Number(this.form.querySelector("input:checked")?.value ?? 0);
      return answer.choice ? answer : this.want("Choose one of the answers.");
    }
    if (ask.kind === "number") {
      answer.number = Number(this.number.value.trim().replace(",", "."));
      return this.number.value.trim() && Number.isFinite(answer.number) ? answer : this.want("Give a number, such as 0.02 or 3e5.");
    }
    if (ask.kind === "order") return { ...answer, order: [...this.order] };
    answer.draw = this.drawing.answer();
    return answer.draw ? answer : this.want(`Give all ${ask.at.length} heights: draw across the figure from left to right, or type the numbers.`);
  }

  want(text) {
    this.note.textContent = text;
    return null;
  }

  submit(e) {
    e.preventDefault();
    const answer = this.read();
    if (!answer) return;
    this.keep({ ...answer, question: this.ask.question });
    this.settle();
    this.lesson.unfold(this);
  }

  skip() {
    this.keep({ skipped: true });
    this.settle();
    this.lesson.unfold(this);
  }

  keep(given) {
    this.given = given;
    this.lesson.answers.keep(this.ask.id, given);
  }

  // fill writes a kept answer into the form.
  fill(given) {
    this.why.value = given.why ?? "";
    if (given.choice) this.form.querySelector(`input[value="${given.choice}"]`).checked = true;
    if (given.number !== undefined) this.number.value = given.number;
    if (given.order) {
      this.order = given.order;
      this.arrange();
    }
    given.draw?.forEach((y, i) => this.drawing.put(i, y));
  }

  // settle closes the form: a prediction is not changed after it was made.
  settle() {
    this.settled = true;
    this.section.classList.add("settled");
    for (const e of this.form.querySelectorAll("input, textarea")) e.disabled = true;
    if (this.list) this.arrange();
    if (this.drawing && this.given.skipped && this.ask.key) this.drawing.reveal(this.ask.key);
    this.note.textContent = "";
    this.buttons.replaceChildren(html("span", { class: "soft" }, this.given.skipped ? "Not predicted." : "Your prediction is kept."));
  }

  // words is the answer in words, as HTML.
  words() {
    const { ask, given } = this;
    if (given.choice) return ask.options[given.choice - 1];
    if (given.order) return given.order.map((n) => ask.options[n - 1]).join("; ");
    if (given.draw) return given.draw.map((y, i) => `${number(y)} at ${number(ask.at[i])}`).join("; ");
    return number(given.number) + (ask.unit ? " " + ask.unit : "");
  }

  // outcome shows the prediction beside what was measured.
  outcome(box) {
    const { ask, given } = this;
    box.querySelector(".yours")?.remove();
    const key = ask.key;
    if (this.drawing && key) this.drawing.reveal(key);
    const rows = [];
    if (given.skipped) rows.push(html("p", { class: "soft" }, "You made no prediction."));
    else {
      rows.push(html("p", {}, html("b", {}, "You predicted: "), rich(this.words())), given.why ? html("p", {}, html("b", {}, "because: "), html("q", {}, given.why)) : html("p", { class: "soft" }, "You gave no reason."));
    }
    if (key && !given.skipped) {
      const verdict = judge(ask, key, given);
      if (given.part !== verdict.part) this.keep({ ...given, right: verdict.right, part: verdict.part });
      const sign = html("b", { class: verdict.right ? "good" : "bad" }, verdict.right ? "As you predicted. " : "Not as you predicted. ");
      const says = html("p", {}, sign);
      says.append(rich([verdict.says, verdict.far].filter(Boolean).join(" ")));
      rows.push(says);
      box.classList.toggle("right", verdict.right);
      if (!given.why || verdict.right) rows.push(null);
      else rows.push(html("p", { class: "soft small" }, "Read your reason again: which step of it fails?"));
    }
    if (!key && this.undecided) rows.push(html("p", { class: "soft" }, "The records do not decide this question, so it does not count: " + this.undecided));
    if (key && given.skipped) rows.push(html("p", {}, html("b", {}, "Measured: "), rich(key.measured)));
    box.append(html("div", { class: "yours" }, ...rows.filter(Boolean)));
  }
}

// sound reports whether a kept answer, which may have come from a file, is one to the question as it is asked now.
function sound(ask, a) {
  if (!a || typeof a !== "object" || (a.question && a.question !== ask.question)) return false;
  const finite = (v) => typeof v === "number" && Number.isFinite(v);
  switch (a.skipped ? "" : ask.kind) {
    case "choice":
      return Number.isInteger(a.choice) && a.choice >= 1 && a.choice <= ask.options.length;
    case "number":
      return finite(a.number);
    case "order":
      return Array.isArray(a.order) && [...a.order].sort().join() === ask.options.map((_, i) => i + 1).sort().join();
    case "draw":
      return Array.isArray(a.draw) && a.draw.length === ask.at.length && a.draw.every((y) => finite(y) && (!ask.axes.logY || y > 0));
  }
  return true;
}

// A Lesson shows what comes after a question once it is answered.
class Lesson {
  constructor(root) {
    this.root = root;
    this.answers = new Answers(root.dataset.name);
    this.questions = [...root.querySelectorAll("section.ask")].map((s) => new Question(s, this));
    this.progress = root.querySelector(".progress");
    this.parts = [...root.querySelectorAll(".later")].map((element) => ({
      element,
      before: this.questions.filter((q) => q.section.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING),
      shut: html("p", { class: "shut soft small" }),
    }));
    for (const p of this.parts) if (p.element.matches(".told")) p.element.before(p.shut);
    if (root.dataset.program) this.lab = new Lab(this);
    this.unfold();
  }

  say(text) {
    this.told ??= this.root.insertBefore(html("p", { class: "note", role: "status" }), this.progress);
    this.told.textContent = text;
  }

  // hand saves the answers to all lessons.
  hand() {
    this.answers.read();
    save("state.json", "application/json", this.answers.text + "\n");
  }

  // take reads a file of answers.
  async take(file) {
    try {
      this.answers.add(await file.text());
      location.reload();
    } catch {
      this.say("This is no file of answers as this version of repro or its pages write it.");
    }
  }

  // again forgets all answers.
  again() {
    this.answers.forget();
    location.reload();
  }

  // unfold shows what the answers so far allow. answered is the question that was just answered.
  unfold(answered) {
    let first = null;
    let told = ""; // by the note before
    for (const p of this.parts) {
      const open = p.before.filter((q) => !q.given);
      const unrun = this.lab?.shut(p.element) ?? [];
      const closed = open.length + unrun.length > 0;
      const was = p.element.hidden;
      p.element.hidden = closed;
      p.shut.hidden = !closed;
      p.shut.textContent = !open.length ? "Shown after the run." : open.length === 1 ? `Shown after prediction ${this.index(open[0])}.` : `Shown after predictions ${open.map((q) => this.index(q)).join(", ")}.`;
      p.shut.hidden ||= p.shut.textContent === told;
      told = closed ? p.shut.textContent : "";
      if (closed) continue;
      for (const box of p.element.querySelectorAll(".outcome")) this.questions.find((q) => q.ask.id === box.dataset.of)?.outcome(box);
      if (was && answered) first ??= p.element;
    }
    this.lab?.update();
    this.count();
    if (!answered) return;
    const next = this.questions.find((q) => !q.given);
    if (first) {
      say("What was measured is now shown below.");
      show(first);
    } else say(next ? `Kept. Next: prediction ${this.index(next)}.` : "Kept.");
  }

  // count says how far the learner is.
  count() {
    const done = this.questions.filter((q) => q.given).length;
    this.progress.hidden = done === 0 && !this.lab;
    const file = html("input", { type: "file", accept: ".json", hidden: true, change: () => this.take(file.files[0]) });
    this.progress.replaceChildren(
      `${done} of ${this.questions.length} predictions made; they are kept in this browser. `,
      button("begin again", undefined, () => this.again()), " ",
      button("save my answers", undefined, () => this.hand(), "the file that is handed in, and that repro lesson check reads"), " ",
      button("read answers", undefined, () => file.click(), "a file of answers, for the lessons that have none here"), file,
    );
  }

  index = (q) => this.questions.indexOf(q) + 1;

  // drawnOn lists the reader's drawings on a figure of a run.
  drawnOn(run, data) {
    return this.questions.flatMap((q) => {
      const line = q.given?.draw && q.ask.figure === data.id && q.ask.run === run && data.lines.find((l) => l.method === q.ask.method || data.lines.length === 1);
      return line ? [this.drawn(q, line, data.lines.length)] : [];
    });
  }

  // drawn is the reader's drawing as a line of a figure, with the costs of the measured one at its places.
  drawn(q, line, index) {
    const x = q.ask.at;
    const costs = Object.fromEntries(Object.entries(line.costs).map(([name, values]) => [name, x.map((v) => between(line.x, values, v))]));
    return { label: "your prediction", index, x, y: q.given.draw, costs, style: { colour: "#8a5a00", night: "#e3b341", dashes: [4, 3], corners: 4, turn: Math.PI / 2, filled: true } };
  }
}

// rich turns HTML that the page's own text has into an element.
function rich(text) {
  const span = html("span");
  span.innerHTML = text;
  return span;
}

new Lesson(document.querySelector(".lesson"));
