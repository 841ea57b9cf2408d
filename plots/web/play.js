// The script of the playground: a bench with examples, the reader's files, links and bundles.

import "./pages.js";
import { Bench } from "./bench.js";
import { html } from "./dom.js";
import { copy, save } from "./download.js";
import { MOST, pack, unpack } from "./link.js";
import { Program, Refusal } from "./program.js";
import { read } from "./state.js";

const LARGEST = 200e6; // bytes of a file of the reader

class Play extends Bench {
  constructor(root) {
    super(root, new Program(root.dataset.program));
    this.root = root;
    this.starter = root.querySelector(".starter").value;
    const button = (text, click, disabled) => html("button", { type: "button", click, disabled }, text);
    const examples = root.querySelector(".examples");
    this.example = html("select", { change: () => this.take(this.example.value).catch((e) => this.fail(e)) }, html("option", { value: "" }, "a small spec of your own"), ...examples.options);
    examples.remove();
    this.example.value = ""; // the first of the examples was selected where it came from
    this.sizes = html("select", { change: () => this.sized() });
    this.files = html("input", { type: "file", multiple: true, accept: ".csv,.toml,.tsv,.txt,.libsvm,.svm,.json", change: () => this.drop(this.files.files) });
    this.bundle = button("Save what was measured (zip)", () => this.pack(), true);
    const bench = root.querySelector(".bench");
    bench.before(html("p", { class: "tools" }, html("label", {}, "Example ", this.example), html("label", {}, "Profile ", this.sizes), html("label", {}, "Your files ", this.files)));
    const share = html("p", { class: "tools" }, button("Copy a link to this spec", () => this.share()), this.bundle);
    bench.prepend(this.box, this.takes, this.mistakes, bench.querySelector(".figures"), this.verdicts, share); // before the sliders, and these before the spec
    bench.append(bench.querySelector(".editor"));
    root.addEventListener("dragover", (e) => e.preventDefault());
    root.addEventListener("drop", (e) => {
      if (!e.dataTransfer.files.length) return;
      e.preventDefault();
      this.drop(e.dataTransfer.files);
    });
    addEventListener("hashchange", () => this.open());
    this.open();
  }

  // open shows what the address names. It runs nothing: a link may be a stranger's.
  async open() {
    const at = read() ?? {};
    try {
      if (at.spec) {
        this.set(await unpack(at.spec), at.file ?? "my.toml", at.profile ?? "paper");
        this.say("This spec came with the link. Nothing of it has run; read it before you press run. It can reach nothing but this page.");
      } else if (at.example) await this.take(at.example, at.profile);
      else if (!this.text.value) {
        this.set(this.starter, "my.toml", "smoke");
        await this.start(); // a figure before anything is pressed
        this.set(this.text.value, this.file, "paper"); // what the reader runs: the small size wants rows that a file of theirs may not have
      }
    } catch (e) {
      this.say(e instanceof Refusal || at.example ? e.message : "The link is damaged or too long: copy it again.");
    }
  }

  async take(id, profile = "quick") {
    this.say("");
    this.example.value = id;
    if (!id) return this.set(this.starter, "my.toml", "paper");
    this.set(await this.call("example", id), id.split("/")[1] + ".toml", profile);
  }

  set(text, file, profile) {
    super.set(text, file, profile);
    this.offer([profile]);
  }

  // offer lists the profiles to choose from.
  offer(all) {
    this.sizes.replaceChildren(...all.map((p) => html("option", { value: p }, p)));
    this.sizes.value = this.profile;
  }

  sized() {
    this.profile = this.sizes.value;
    this.slide();
    this.edited(0);
  }

  checked(c) {
    if (c.profiles) this.offer([...new Set([...c.profiles, this.profile])]);
  }

  ended() {
    this.bundle.disabled = false;
  }

  // share puts the spec into the address and copies it.
  async share() {
    if (this.text.value.length > MOST) return this.say("The spec is too long for a link: save it as a file.");
    const url = new URL(location.href);
    url.hash = `spec=${await pack(this.text.value)}&file=${encodeURIComponent(this.file)}&profile=${encodeURIComponent(this.profile)}`;
    history.replaceState(null, "", url);
    await copy(url.href);
    this.say(`The link is copied and in the address bar; it has the spec, ${url.href.length} letters.`);
  }

  // pack saves what was measured as a bundle.
  async pack() {
    try {
      save(this.ran.file.replace(/\.toml$/, "") + ".zip", "application/zip", await this.call("bundle", this.ran));
    } catch (e) {
      this.fail(e);
    }
  }

  // judge takes the spec that the program proposes for a file of curves.
  async judge(name) {
    try {
      this.set(await this.call("propose", name), name.replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9]+/g, "-").toLowerCase() + ".toml", "paper");
      this.say("The spec judges the curves of the file. Say in it what is claimed, then run it.");
    } catch (e) {
      this.fail(e);
    }
  }

  // drop takes files of the reader: specs into the editor, data beside it.
  async drop(files) {
    for (const f of files) {
      if (f.size > LARGEST) this.say(`${f.name} has ${(f.size / 1e6).toFixed(0)} MB; a page takes ${LARGEST / 1e6}.`);
      else if (f.name.endsWith(".toml")) {
        this.set(await f.text(), f.name, "paper");
        this.say("");
      } else {
        await this.program.put(f.name, new Uint8Array(await f.arrayBuffer()));
        const [first] = (await f.slice(0, 10_000).text()).split("\n");
        const names = f.name.endsWith(".csv") && first.split(",").some((v) => !Number.isFinite(Number(v)));
        this.say(`${f.name} is in this page and stays in it. Name it in the spec: data = { file = "${f.name}"${names ? ", header = true" : ""}, holdout = 0.25 }. Or, if it has curves: `);
        this.note.append(html("button", { type: "button", click: () => this.judge(f.name) }, "judge them"));
        this.edited(0);
      }
    }
    this.files.value = "";
  }
}

const root = document.querySelector(".play");
if (root?.dataset.program) new Play(root);
