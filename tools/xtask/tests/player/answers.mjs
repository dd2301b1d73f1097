// Sends requests to the emulator as a page does, through the Worker's script, and writes the answers, one a line.
// Usage: node answers.mjs MODULE < REQUESTS
// MODULE is the committed script, or a module as the compiler makes it; each line of REQUESTS is one request.

import { readFileSync } from 'node:fs';
import { machine, unpack } from './support.mjs';

const [path] = process.argv.slice(2);
const file = readFileSync(path);
const packed = /lanesModule = '([^']*)'/.exec(path.endsWith('.js') ? file.toString() : '');
const emulator = packed === null ? machine(file) : machine(Buffer.from(packed[1], 'base64'), unpack);
for (const request of readFileSync(0, 'utf8').trimEnd().split('\n')) {
    process.stdout.write(`${JSON.stringify(await emulator.ask(JSON.parse(request)))}\n`);
}
