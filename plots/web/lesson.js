// The script of a lesson: it asks before it shows, keeps the answers in this browser, and puts them beside what was measured.

import "./pages.js";
import { Chart } from "./chart.js";
import { between, figureData } from "./data.js";
import { button, html, say, show } from "./dom.js";
import { Drawing } from "./drawing.js";
import { HeatMap } from "./heat.js";
import { judge } from "./judge.js";
import { number } from "./numbers.js";

const WHY = "Why do you expect that?";

// A Question asks for one prediction.
class Question {
  constructor(section, lesson) {
    Object.assign(this, { section, lesson, ask: JSON.parse(section.dataset.ask) });
    this.given = lesson.kept[this.ask.id] ?? null;
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
    this.given = answer;
    this.lesson.keep(this);
    this.settle();
    this.lesson.unfold(this);
  }

  skip() {
    this.given = { skipped: true };
    this.lesson.keep(this);
    this.settle();
    this.lesson.unfold(this);
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
      const sign = html("b", { class: verdict.right ? "good" : "bad" }, verdict.right ? "As you predicted. " : "Not as you predicted. ");
      const says = html("p", {}, sign);
      says.append(rich([verdict.says, verdict.far].filter(Boolean).join(" ")));
      rows.push(says);
      box.classList.toggle("right", verdict.right);
      if (!given.why || verdict.right) rows.push(null);
      else rows.push(html("p", { class: "soft small" }, "Read your reason again: which step of it fails?"));
    }
    const yours = html("div", { class: "yours" }, ...rows.filter(Boolean));
    box.querySelector("details.answer") ? box.querySelector("details.answer").before(yours) : box.append(yours);
    if (given.skipped) box.querySelector("details.answer")?.setAttribute("open", "");
  }
}

// A Lesson shows what comes after a question once it is answered.
class Lesson {
  constructor(root) {
    this.root = root;
    this.name = root.dataset.key;
    try {
      this.kept = JSON.parse(localStorage.getItem(this.name)) ?? {};
    } catch {
      this.kept = {};
    }
    this.questions = [...root.querySelectorAll("section.ask")].map((s) => new Question(s, this));
    this.progress = root.querySelector(".progress");
    this.parts = [...root.querySelectorAll(".later")].map((element) => ({
      element,
      before: this.questions.filter((q) => q.section.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING),
      shut: html("p", { class: "shut soft small" }),
    }));
    for (const p of this.parts) if (p.element.matches("details, .told")) p.element.before(p.shut);
    this.unfold();
  }

  keep(question) {
    this.kept[question.ask.id] = question.given;
    try {
      localStorage.setItem(this.name, JSON.stringify(this.kept));
    } catch {
      // a browser may keep nothing for files; the page works until it is closed
    }
  }

  // again forgets all answers.
  again() {
    try {
      localStorage.removeItem(this.name);
    } catch {
      // nothing was kept
    }
    location.hash = "";
    location.reload();
  }

  // unfold shows what the answers so far allow. answered is the question that was just answered.
  unfold(answered) {
    let first = null;
    let told = ""; // by the note before
    for (const p of this.parts) {
      const open = p.before.filter((q) => !q.given);
      const was = p.element.hidden;
      p.element.hidden = open.length > 0;
      p.shut.hidden = open.length === 0;
      p.shut.textContent = open.length === 1 ? `Shown after prediction ${this.index(open[0])}.` : `Shown after predictions ${open.map((q) => this.index(q)).join(", ")}.`;
      p.shut.hidden ||= p.shut.textContent === told;
      told = open.length ? p.shut.textContent : "";
      if (open.length) continue;
      if (p.element.matches("details")) p.element.open = true;
      for (const box of p.element.querySelectorAll(".outcome")) this.questions.find((q) => q.ask.id === box.dataset.of)?.outcome(box);
      if (was && answered) first ??= p.element;
    }
    for (const f of this.root.querySelectorAll("figure[data-live]")) if (!f.closest("[hidden]")) this.enliven(f);
    const done = this.questions.filter((q) => q.given).length;
    this.progress.hidden = done === 0;
    this.progress.replaceChildren(`${done} of ${this.questions.length} predictions made; they are kept in this browser. `, button("begin again", undefined, () => this.again()));
    if (!answered) return;
    const next = this.questions.find((q) => !q.given);
    if (first) {
      say("What was measured is now shown below.");
      show(first);
    } else say(next ? `Kept. Next: prediction ${this.index(next)}.` : "Kept.");
  }

  index = (q) => this.questions.indexOf(q) + 1;

  // enliven makes a figure alive, with the reader's drawing in it.
  async enliven(figure) {
    if (figure.alive) return;
    figure.alive = true;
    const data = await figureData(figure);
    if (data.maps) return void new HeatMap(figure, data);
    for (const q of this.questions) {
      const line = q.given?.draw && figure.dataset.figure.endsWith(":" + q.ask.figure) && q.ask.run === figure.dataset.figure.split(":")[0] && data.lines.find((l) => l.method === q.ask.method || data.lines.length === 1);
      if (line) data.lines.push(this.drawn(q, line, data.lines.length));
    }
    new Chart(figure, data, () => {});
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
