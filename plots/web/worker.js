// The script of a worker: it starts the program in the module that it is sent, passes calls on to it, and the answers back. It follows
// Go's wasm_exec.js, which defines Go, and the script of package lanes, which defines connectLanes.

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

onmessage = async ({ data }) => {
  if (data.module) {
    const go = new globalThis.Go();
    go.exit = () => postMessage({ kind: "dead", id: null, value: "The program has stopped; load the page again." });
    try {
      const connect = globalThis.connectLanes(go);
      const instance = await WebAssembly.instantiate(data.module, go.importObject);
      connect(instance);
      await go.run(instance);
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
