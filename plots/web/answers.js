// The reader's answers, in this browser: the file that repro lesson reads (docs/lessons/classes.md).

const KEY = "repro-answers";
const SCHEMA = 3;
const isObject = (v) => typeof v === "object" && v !== null;

// parse reads a file of answers.
function parse(text) {
  const file = JSON.parse(text);
  if (file?.schema !== SCHEMA || !isObject(file.lessons)) throw new Error("not a file of answers");
  return file;
}

// Answers are the file of all lessons, seen from one of them.
export class Answers {
  constructor(lesson) {
    this.lesson = lesson;
    this.read();
  }

  read() {
    try {
      this.file = parse(localStorage.getItem(KEY));
    } catch {
      this.file ??= { schema: SCHEMA, lessons: {} };
    }
  }

  // mine is what the file has of the lesson.
  get mine() {
    return (this.file.lessons[this.lesson] ??= {});
  }

  // change changes the file as it is now: another tab may have written it.
  change(what) {
    this.read();
    what(this.mine);
    try {
      localStorage.setItem(KEY, JSON.stringify(this.file));
    } catch {
      // a browser may keep nothing for files; the page works until it is closed
    }
  }

  keep(id, given) {
    this.change((lesson) => ((lesson.answers ??= {})[id] = given));
  }

  // forget removes what the file has of the lesson.
  forget() {
    this.change(() => delete this.file.lessons[this.lesson]);
  }

  // text is the file; what was skipped is no answer.
  get text() {
    return JSON.stringify(this.file, (_, v) => (v?.skipped ? undefined : v), 2);
  }

  // add takes from another file the lessons that have no answers here.
  add(text) {
    const { lessons } = parse(text);
    this.change(() => {
      for (const [name, l] of Object.entries(lessons)) if (isObject(l) && isObject(l.answers ?? {}) && !Object.keys(this.file.lessons[name]?.answers ?? {}).length) this.file.lessons[name] = l;
    });
  }
}
