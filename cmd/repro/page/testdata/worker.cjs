// Runs the program of pages as a worker of a browser does, and a list of calls: node worker.cjs FOLDER CALLS OUT. The answers, a JSON
// list, go to the standard output, and the files that runs write below OUT.
const fs = require("fs");
const path = require("path");
const vm = require("vm");
const zlib = require("zlib");

const [folder, calls, out] = process.argv.slice(2);
const { exit, stdout } = process;
const write = fs.writeFileSync;
const make = fs.mkdirSync;
const list = JSON.parse(fs.readFileSync(calls, "utf8"));
const script = fs.readFileSync(path.join(folder, "worker.js"), "utf8");
const code = zlib.gunzipSync(fs.readFileSync(path.join(folder, "page.wasm.gz")));
const dirname = path.dirname;
const answers = [];

// next makes the next call, or ends.
function next() {
  const call = list[answers.length];
  if (call) onmessage({ data: { id: answers.length, ...call, files: true } });
  else {
    stdout.write(JSON.stringify(answers), () => exit(0));
  }
}

globalThis.onmessage = null;
globalThis.postMessage = ({ kind, value, files }) => {
  for (const f of files ?? []) {
    make(dirname(out + f.path), { recursive: true });
    write(out + f.path, f.bytes);
  }
  if (kind === "ready") return next();
  if (kind === "tell") return;
  if (kind === "dead") {
    console.error(value);
    exit(1);
  }
  if (value instanceof Uint8Array) {
    write(out + "/answer-" + answers.length, value);
    value = null;
  }
  answers.push(kind === "error" ? { error: value } : { answer: value });
  next();
};
vm.runInThisContext(script);
WebAssembly.compile(code).then((module) => onmessage({ data: { module } }));
