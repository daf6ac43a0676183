// node run.mjs PROGRAM.wasm ARGUMENTS...: runs a program for wasm32-wasi; files are those of the working folder.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [, , program, ...given] = process.argv;
const wasi = new WASI({ version: "preview1", args: [program, ...given], preopens: { ".": "." }, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(await readFile(program), wasi.getImportObject());
process.exitCode = wasi.start(instance);
