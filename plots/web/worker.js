// The script of a worker: it starts the program in the module that it is sent, passes calls on to it, and the answers back. It follows
// Go's wasm_exec.js, which defines Go.

import { Disk } from "./memory.js";

const OWN = /^\/out\/(?:.*\/)?(?:checkpoints|locks|failures)\//; // files that only their worker needs

const disk = new Disk();
globalThis.fs = disk.fs((text) => console.debug(text));
globalThis.process = { pid: 1, ppid: 0, getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [], umask: () => 0o22, cwd: () => "/", chdir: () => undefined };
globalThis.path = { resolve: (...parts) => parts.reduce((at, p) => (p.startsWith("/") ? p : at + "/" + p), "/") };

// Files that changed go to the page with every message, so that another worker, or a stop, finds them.
let sent = 0;
const files = () => {
  const changed = disk.files("/out", sent).filter(({ path }) => !OWN.test(path));
  sent = disk.changes;
  return changed;
};

const waiting = new Map(); // of calls that want the files of their runs

// reply is called by the program.
globalThis.reply = (kind, id, value) => {
  const message = { kind, id, value: typeof value === "string" ? JSON.parse(value) : value };
  if (waiting.has(id)) message.files = files();
  if (kind !== "tell") waiting.delete(id);
  postMessage(message, value instanceof Uint8Array ? [value.buffer] : []);
};

// start runs the program. It imports its vector functions, which need its memory: it gets calls that find them in a table.
const start = async (go, program) => {
  const codes = globalThis.lanes.map((text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  if (!codes.every((code) => WebAssembly.validate(code))) throw new Error("The WebAssembly of this browser has no vectors, which browsers have since 2023; a newer one runs this page.");
  const [functions, calls] = codes.map((code) => new WebAssembly.Module(code));
  const names = WebAssembly.Module.exports(functions).map(({ name }) => name);
  const table = new WebAssembly.Table({ initial: names.length, element: "anyfunc" });
  go.importObject.lanes = new WebAssembly.Instance(calls, { env: { table } }).exports;
  const instance = await WebAssembly.instantiate(program, go.importObject);
  const vectors = new WebAssembly.Instance(functions, { env: { memory: instance.exports.mem } });
  names.forEach((name, i) => table.set(i, vectors.exports[name]));
  await go.run(instance);
};

onmessage = async ({ data }) => {
  if (data.module) {
    const go = new globalThis.Go();
    go.exit = () => postMessage({ kind: "dead", id: null, value: "The program has stopped; load the page again." });
    try {
      await start(go, data.module);
    } catch (e) {
      postMessage({ kind: "dead", id: null, value: String(e.message ?? e) });
    }
  } else if (data.put) for (const { path, bytes } of data.put) disk.put(path, bytes);
  else if (data.clear) disk.remove(data.clear);
  else {
    if (data.files) waiting.set(data.id, true);
    globalThis.call(data.id, data.method, JSON.stringify(data.request ?? null));
  }
};
