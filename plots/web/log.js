// What a learner has done, in this browser: the file that repro lesson reads (docs/lessons/classes.md). Its logs only grow.

const KEY = "repro-answers";
const empty = () => ({ schema: 2, lessons: {} });

// A Log is the file of all lessons, seen from one of them.
export class Log {
  constructor(lesson) {
    this.lesson = lesson;
    this.read();
  }

  read() {
    try {
      this.file = JSON.parse(localStorage.getItem(KEY)) ?? empty();
      if (this.file.schema !== 2 || typeof this.file.lessons !== "object") this.file = empty();
    } catch {
      this.file ??= empty();
    }
  }

  write() {
    try {
      localStorage.setItem(KEY, JSON.stringify(this.file));
    } catch {
      // a browser may keep nothing; the page works until it is closed
    }
  }

  get entries() {
    return this.file.lessons[this.lesson]?.log ?? [];
  }

  // change changes the file as it is now: another tab may have added to it.
  change(what) {
    this.read();
    what((this.file.lessons[this.lesson] ??= { log: [] }));
    this.write();
  }

  // note adds an entry.
  note(entry) {
    this.change((p) => (p.log ??= []).push({ at: new Date().toISOString().replace(/\.\d+/, ""), ...entry }));
  }

  // exercise keeps the spec of the exercise as it was checked.
  exercise(text) {
    this.change((p) => (p.exercise = text));
  }

  // join sets the class, NAME or NAME:KEY, and whose answers they are. Answers stay with their class: join says whether it could.
  join(class_, name) {
    this.read();
    const [word, key] = class_.split(":");
    const begun = Object.values(this.file.lessons).some((p) => p.log?.some((e) => e.what === "answer" || e.what === "exercise"));
    if (begun && (this.file.class ?? "") !== word) return false;
    if (begun && name && this.file.name && this.file.name !== name) return false;
    this.file.class = word;
    if (name) this.file.name = name;
    if (key) this.key = key;
    this.write();
    return true;
  }

  set key(key) {
    try {
      localStorage.setItem(KEY + "-key", key);
    } catch {
      // nothing is kept
    }
  }

  get key() {
    try {
      return localStorage.getItem(KEY + "-key") ?? "";
    } catch {
      return "";
    }
  }

  // add takes what another file or a link has of the lesson, if it has more than there is, and continues it.
  add(progress) {
    const before = this.entries;
    const same = JSON.stringify((progress.log ?? []).slice(0, before.length)) === JSON.stringify(before);
    if (!same) return false;
    this.change((p) => Object.assign(p, { log: progress.log, ...(typeof progress.exercise === "string" ? { exercise: progress.exercise } : {}) }));
    return true;
  }
}
