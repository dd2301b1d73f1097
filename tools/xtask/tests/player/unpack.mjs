// Unpacks what the chore packed: each line has the packed bytes and the bytes, both in base64.

import { readFileSync } from 'node:fs';
import { unpack } from './support.mjs';

function isRefused(packed) {
    try {
        unpack(packed);
        return false;
    } catch (error) {
        return /^the module is (not complete|damaged)$/.test(error.message);
    }
}

for (const line of readFileSync(0, 'utf8').trimEnd().split('\n')) {
    const [packed, bytes] = line.split(' ').map(text => Uint8Array.from(Buffer.from(text, 'base64')));
    const isSame = Buffer.compare(unpack(packed), bytes) === 0;
    const isRefusedWhenCut = [0, 12, 13, 17, packed.length / 2, packed.length - 6].every(length => isRefused(packed.slice(0, length)));
    console.log(isSame && isRefusedWhenCut ? 'the same, and refused when cut' : `wrong: ${isSame}, ${isRefusedWhenCut}`);
}
