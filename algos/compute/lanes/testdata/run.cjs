// Runs a Go program for js that imports the vector functions: node run.cjs WASM_EXEC LANES PROGRAM ARGUMENTS...
const fs = require("fs");
const [exec, lanes, program, ...rest] = process.argv.slice(2);
Object.assign(globalThis, { require, fs, path: require("path") });
require(exec);
require(lanes);
const go = new Go();
go.argv = [program, ...rest];
go.env = process.env;
go.exit = process.exit;
const connect = connectLanes(go);
const instance = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(program)), go.importObject);
connect(instance);
go.run(instance);
