// The table of claims: filters, search, sorting.

import { button, html, press, say } from "./dom.js";

const FEW = 10; // rows shown before the reader asks for all
const NARROW = 640; // pixels; a page that is no wider shows the filters on demand
const WORDS = ["reproduced", "deviates", "inconclusive", "too small to judge", "not comparable", "not run", "failed"];

// A Table filters and sorts the rows of claims. changed is called after the reader has changed something.
export class Table {
  constructor(section, changed) {
    this.changed = changed;
    this.table = section.querySelector("table");
    this.body = this.table.tBodies[0];
    const numbers = section.querySelector("#numbers");
    if (numbers) {
      this.body.append(...numbers.querySelectorAll("tbody > tr"));
      numbers.remove();
    }
    this.rows = [...this.body.rows];
    this.rows.forEach((row, i) => {
      row.order = i;
      row.dataset.claim = row.querySelector("th code").textContent.replace(" ", ":");
      row.dataset.word = row.querySelector(".verdict > .badge").textContent;
      row.dataset.size ??= row.dataset.word;
    });
    this.state = { verdict: "", of: "", paper: "", experiment: "", method: "", q: "", sort: "", down: false, numbers: !this.rows.some((r) => !("number" in r.dataset)), all: false };
    section.querySelector(".scroll").before(this.controls());
    this.more = button("", undefined, () => this.set({ all: true }));
    section.append(html("p", {}, this.more));
    for (const th of this.table.tHead.rows[0].cells) if (th.dataset.sort) this.sortable(th);
    this.apply();
  }

  controls() {
    const of = (f) => [...new Set(this.rows.flatMap(f))].filter(Boolean);
    const experiment = (r) => r.dataset.claim.split(":")[0];
    this.selects = {
      verdict: this.select("verdict", [...of((r) => [r.dataset.word]).sort(byWord), ...of((r) => (r.dataset.size !== r.dataset.word ? [r.dataset.word + " · " + r.dataset.size] : [])).sort()]),
      of: this.select("of", of((r) => [r.dataset.of])),
      paper: this.select("paper", of((r) => [experiment(r).split("/")[0]])),
      experiment: this.select("experiment", of((r) => [experiment(r)])),
      method: this.select("method", of((r) => [r.dataset.method, ...(r.dataset.against ?? "").split(" ")]).sort()),
    };
    this.search = html("input", { type: "search", "aria-label": "search the claims", placeholder: "search", input: () => this.set({ q: this.search.value }) });
    this.numbers = this.rows.some((r) => "number" in r.dataset) ? button("numbers of printed tables", this.state.numbers, () => this.set({ numbers: !this.state.numbers })) : null;
    this.count = html("span", { class: "soft small", role: "status" });
    const selects = html("div", { class: "selects" }, ...Object.values(this.selects).map((s) => s.parentElement));
    this.filters = html("details", { class: "filters", open: innerWidth > NARROW }, html("summary", {}, "filters"), selects);
    return html("div", { class: "tools", role: "group", "aria-label": "filter the claims" }, this.search, this.filters, this.numbers, button("reset", undefined, () => this.reset()), this.count);
  }

  select(name, values) {
    const s = html("select", { change: () => this.set({ [name]: s.value }) }, html("option", { value: "" }, "all"), ...values.map((v) => html("option", { value: v }, v)));
    html("label", {}, name + " ", s);
    return s;
  }

  sortable(th) {
    const b = button([...th.childNodes], undefined, () => this.set(this.state.sort === th.dataset.sort ? { down: !this.state.down } : { sort: th.dataset.sort, down: false }));
    th.replaceChildren(b);
  }

  reset() {
    this.set({ verdict: "", of: "", paper: "", experiment: "", method: "", q: "", sort: "", down: false });
  }

  set(change) {
    Object.assign(this.state, change);
    this.apply();
    this.changed(this);
  }

  // restore sets the filters that an address names.
  restore(address) {
    for (const name of ["verdict", "of", "paper", "experiment", "method", "q", "sort"]) this.state[name] = address[name] ?? "";
    this.state.down = address.down === "1";
    this.state.numbers ||= address.numbers === "1";
    this.filters.open ||= Object.keys(this.selects).some((name) => this.state[name]);
    this.apply();
  }

  address() {
    const { verdict, of, paper, experiment, method, q, sort, down, numbers } = this.state;
    return { verdict, of, paper, experiment, method, q, sort, down: down ? "1" : "", numbers: numbers && this.numbers ? "1" : "" };
  }

  matches(row) {
    const { verdict, of, paper, experiment, method, q, numbers } = this.state;
    const id = row.dataset.claim.split(":")[0];
    return (
      (numbers || !("number" in row.dataset)) &&
      (!verdict || verdict === row.dataset.word || (row.dataset.size !== row.dataset.word && verdict === row.dataset.word + " · " + row.dataset.size)) &&
      (!of || of === row.dataset.of) && (!paper || id.startsWith(paper + "/")) && (!experiment || id === experiment) &&
      (!method || [row.dataset.method, ...(row.dataset.against ?? "").split(" ")].includes(method)) &&
      q.toLowerCase().split(/\s+/).every((word) => row.textContent.toLowerCase().includes(word))
    );
  }

  // apply shows the rows that the filters leave, in order.
  apply() {
    const { state } = this;
    for (const [name, s] of Object.entries(this.selects)) s.value = state[name];
    if (this.search.value !== state.q) this.search.value = state.q;
    if (this.numbers) press(this.numbers, state.numbers);
    const key = {
      word: (r) => WORDS.indexOf(r.dataset.word) * 10 + WORDS.indexOf(r.dataset.size),
      claim: (r) => r.cells[1].textContent, measured: (r) => Number(r.dataset.measured ?? Infinity),
    }[state.sort] ?? ((r) => r.order);
    const compare = (a, b) => (key(a) > key(b)) - (key(a) < key(b)) || a.order - b.order;
    const sorted = [...this.rows].sort(state.down ? (a, b) => compare(b, a) : compare);
    let found = 0;
    for (const row of sorted) {
      const match = this.matches(row);
      row.hidden = !match || (!state.all && found >= FEW && row !== this.kept);
      found += match;
    }
    this.body.append(...sorted);
    for (const th of this.table.tHead.rows[0].cells) {
      if (th.dataset.sort === state.sort && state.sort) th.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    }
    this.count.textContent = `${found} of ${this.rows.length} claims`;
    this.more.textContent = `Show all ${found} claims`;
    this.more.parentElement.hidden = state.all || found <= FEW;
    say(this.count.textContent);
  }

  // reveal makes the row of a claim visible, whatever the filters, and returns it.
  reveal(claim) {
    const row = this.rows.find((r) => r.dataset.claim === claim);
    if (!row) return null;
    this.kept = row;
    if (!this.matches(row)) {
      Object.assign(this.state, { verdict: "", of: "", paper: "", experiment: "", method: "", q: "" });
      if ("number" in row.dataset) this.state.numbers = true;
    }
    this.apply();
    return row;
  }
}

const byWord = (a, b) => WORDS.indexOf(a) - WORDS.indexOf(b);
