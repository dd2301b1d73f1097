// Calls functions of a WebAssembly module that return texts (`crates/test-support/src/portable/exports.rs`), and writes what they return.
// Usage: node node.mjs MODULE FUNCTION

import { readFileSync, writeSync } from "node:fs";

const [path, name] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(path), {});
const start = instance.exports[name]() >>> 0;
const memory = instance.exports.memory.buffer;
const length = new DataView(memory).getUint32(start, true);
const bytes = new Uint8Array(memory, start + 4, length);
for (let written = 0; written < length; ) written += writeSync(1, bytes, written);
