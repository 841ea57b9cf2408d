// connectLanes(go) gives a program of Go its vector functions, which need its memory: until that is there, it gets calls that find them in a
// table. CODES are the two modules, in base64. What it returns is to be called with the program's instance, before that runs.
globalThis.connectLanes = (go) => {
  const bytes = CODES.map((text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  if (!bytes.every((code) => WebAssembly.validate(code))) throw new Error("The WebAssembly of this browser has no vectors, which browsers have since 2023; a newer one runs this page.");
  const [functions, calls] = bytes.map((code) => new WebAssembly.Module(code));
  const names = WebAssembly.Module.exports(functions).map(({ name }) => name);
  const table = new WebAssembly.Table({ initial: names.length, element: "anyfunc" });
  go.importObject.lanes = new WebAssembly.Instance(calls, { env: { table } }).exports;
  return (instance) => {
    const vectors = new WebAssembly.Instance(functions, { env: { memory: instance.exports.mem } });
    names.forEach((name, i) => table.set(i, vectors.exports[name]));
  };
};
