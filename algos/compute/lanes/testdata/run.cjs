// Runs a Go program for js that imports the vector functions: node run.cjs WASM_EXEC FUNCTIONS CALLS PROGRAM ARGUMENTS...
const fs = require("fs");
const [exec, functions, calls, program, ...rest] = process.argv.slice(2);
Object.assign(globalThis, { require, fs, path: require("path") });
require(exec);
const go = new Go();
go.argv = [program, ...rest];
go.env = process.env;
go.exit = process.exit;
const load = (file) => new WebAssembly.Module(fs.readFileSync(file));
const vectors = load(functions);
const names = WebAssembly.Module.exports(vectors).map(({ name }) => name);
const table = new WebAssembly.Table({ initial: names.length, element: "anyfunc" });
go.importObject.lanes = new WebAssembly.Instance(load(calls), { env: { table } }).exports;
const instance = new WebAssembly.Instance(load(program), go.importObject);
const made = new WebAssembly.Instance(vectors, { env: { memory: instance.exports.mem } });
names.forEach((name, i) => table.set(i, made.exports[name]));
go.run(instance);
