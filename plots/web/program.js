// The program of repro in the page: it is fetched once, and runs in workers that can reach nothing but this page. One worker, the desk,
// plans and judges; others run cells, and what they write is sent to the desk, so that a run can be stopped at any time.

const MOST = 4; // workers that run cells

// A Refusal is an error in a sentence for the reader.
export class Refusal extends Error {}

const HERE = "On a machine with Go, repro runs the same: see Start.";

// load fetches the program and compiles it. told gets the bytes so far.
async function load(base, told) {
  if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") throw new Refusal("This browser cannot run programs in pages: it has no WebAssembly, or it is switched off. " + HERE);
  if (location.protocol === "file:") throw new Refusal("A browser lets a page from the disk load no program. Serve the folder, as repro docs does, and open it there.");
  const get = async (name) => {
    let answer;
    try {
      answer = await fetch(base + name);
    } catch {
      throw new Refusal("The program cannot be loaded; is the network there? Press run to try again.");
    }
    if (!answer.ok) throw new Refusal("The program cannot be loaded: " + ((await answer.text()).split("\n")[0].slice(0, 300) || answer.status));
    return answer;
  };
  const script = await (await get("worker.js")).text();
  const answer = await get("page.wasm.gz");
  const parts = [];
  let bytes = 0;
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    told((bytes += part.value.length));
  }
  const packed = new Blob(parts);
  const [first] = new Uint8Array(await packed.slice(0, 1).arrayBuffer());
  const stream = first === 0x1f ? packed.stream().pipeThrough(new DecompressionStream("gzip")) : packed.stream(); // some servers unpack it
  try {
    const module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
    return { module, url: URL.createObjectURL(new Blob([script], { type: "text/javascript" })) };
  } catch (e) {
    throw new Refusal(`The browser could not start the program (${e.message}). ${memoryWords(e)}`);
  }
}

const memoryWords = (e) => (/memory|allocat/i.test(String(e?.message ?? e)) ? "It had no memory left: close other tabs, or take fewer rows, features or seeds." : HERE);

// A Hand is a worker with the program in it.
class Hand {
  constructor({ module, url }) {
    this.calls = new Map();
    this.count = 0;
    this.worker = new Worker(url);
    this.ready = new Promise((yes, no) => {
      this.worker.onmessage = ({ data }) => {
        if (data.kind === "ready") yes();
        else if (data.kind === "dead") this.die(no, data.value);
        else this.hear(data);
      };
      this.worker.onerror = (e) => this.die(no, e.message);
    });
    this.ready.catch(() => {});
    this.worker.postMessage({ module });
  }

  die(no, why) {
    const e = new Refusal(`The program stopped: ${why}. ${memoryWords(why)}`);
    this.dead = true;
    no(e);
    for (const c of this.calls.values()) c.no(e);
    this.calls.clear();
  }

  hear({ kind, id, value, files }) {
    const c = this.calls.get(id);
    if (!c) return;
    if (files?.length) c.files?.(files);
    if (kind === "tell") c.tell?.(value);
    else {
      this.calls.delete(id);
      kind === "answer" ? c.yes(value) : c.no(new Error(value));
    }
  }

  // call calls a method. tell gets what it says before its answer, files what it writes.
  async call(method, request, { tell, files } = {}) {
    await this.ready;
    return new Promise((yes, no) => {
      const id = ++this.count;
      this.calls.set(id, { yes, no, tell, files });
      this.worker.postMessage({ id, method, request, files: !!files });
    });
  }

  put = (files) => this.worker.postMessage({ put: files });

  end() {
    this.worker.terminate();
    for (const c of this.calls.values()) c.no(new Stopped());
    this.calls.clear();
  }
}

// Stopped is how a run ends that the reader stopped.
export class Stopped extends Error {}

// A Program runs specs.
export class Program {
  constructor(base) {
    this.base = base;
    this.dropped = []; // files of the reader
    this.hands = [];
  }

  // start loads the program, if it is not there, and returns the desk.
  async start(told = () => {}) {
    if (this.desk?.dead) this.desk = this.loaded = null;
    this.loaded ??= load(this.base, told).catch((e) => {
      this.loaded = null;
      throw e;
    });
    this.code = await this.loaded;
    this.desk ??= this.hand();
    await this.desk.ready;
    return this.desk;
  }

  hand() {
    const hand = new Hand(this.code);
    if (this.dropped.length) hand.put(this.dropped);
    return hand;
  }

  call = async (method, request) => (await this.start()).call(method, request);

  // put gives a file of the reader to the program.
  async put(name, bytes) {
    const file = { path: "/" + name.split(/[\\/]/).at(-1), bytes };
    this.dropped = [...this.dropped.filter((f) => f.path !== file.path), file];
    for (const h of [this.desk, ...this.hands]) h?.put([file]);
  }

  // run runs cells of a spec in workers of their own. method and request are as of call; told gets how far each is, and changed is called
  // when there is something new to show.
  async run(spec, { method = "run", request = spec, told, changed, workers = this.workers() }) {
    const desk = await this.start();
    const groups = await desk.call("groups", { ...request, workers });
    const states = groups.map(() => ({ done: 0, cells: 0, share: 0 }));
    this.hands = groups.map(() => this.hand());
    try {
      await Promise.all(this.hands.map(async (hand, i) => {
        const tell = (p) => {
          states[i] = p;
          told(states, p);
        };
        await hand.call(method, { ...request, cells: groups[i] }, { tell, files: (files) => (desk.put(files), changed()) });
        hand.end();
      }));
    } finally {
      this.stop();
    }
  }

  // once makes a call in a worker of its own, which stop ends.
  async once(method, request) {
    await this.start();
    const hand = this.hand();
    this.hands.push(hand);
    try {
      return await hand.call(method, request);
    } finally {
      hand.end();
      this.hands = this.hands.filter((h) => h !== hand);
    }
  }

  // clear forgets what runs wrote.
  clear = (out) => this.desk?.worker.postMessage({ clear: "/out" + (out ? "/" + out : "") });

  stop() {
    for (const h of this.hands) h.end();
    this.hands = [];
  }

  // workers is how many cells run at once: fewer where there is little memory.
  workers = () => Math.max(1, Math.min(MOST, navigator.hardwareConcurrency ?? 2, Math.floor(navigator.deviceMemory ?? 4)));
}
