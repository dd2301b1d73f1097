// Unpacks the module: it is packed with LZMA, which browsers do not know, and which makes it a sixth smaller than gzip does.
//
// Like the Worker's function, whose text it is a part of, this one uses nothing from outside of itself. The format is that of
// `.lzma` files, as the specification in 7-Zip's LZMA SDK describes it: one byte of properties, four for the size of the window,
// eight for the size of what was packed, and then the bits, each of which is coded with the probability that it was 0 so far.
'use strict';

/** @param {Uint8Array<ArrayBuffer>} packed @returns {Uint8Array<ArrayBuffer>} */
function lanesUnpack(packed) {
    const HEADER = 13;
    const STATES = 12;
    const MOST_POSITION_STATES = 16;
    const SHORTEST = 2;

    if (packed.length < HEADER + 5) { throw new Error('the module is not complete'); }
    const literalContext = packed[0] % 9;
    const literalPosition = Math.trunc(packed[0] / 9) % 5;
    const positionMask = (1 << Math.trunc(packed[0] / 45)) - 1;
    const whole = new Uint8Array(new DataView(packed.buffer, packed.byteOffset).getUint32(5, true));

    // The decoder of single bits. `code` is where the packed number lies in a range of `range` numbers.
    let at = HEADER + 1;
    let range = 0xffffffff;
    let code = 0;
    for (let index = 0; index < 4; index++) { code = (code << 8 | packed[at++]) >>> 0; }

    /** @param {number} length */
    const bits = length => new Uint16Array(length).fill(1 << 10);

    function normalise() {
        if (at >= packed.length) { throw new Error('the module is not complete'); }
        range = range << 8 >>> 0;
        code = (code << 8 | packed[at++]) >>> 0;
    }

    /** @param {Uint16Array} of @param {number} index */
    function bit(of, index) {
        const zero = of[index];
        const bound = (range >>> 11) * zero;
        const isZero = code < bound;
        if (isZero) {
            range = bound;
            of[index] = zero + ((1 << 11) - zero >> 5);
        } else {
            range -= bound;
            code -= bound;
            of[index] = zero - (zero >> 5);
        }
        if (range < 1 << 24) { normalise(); }
        return isZero ? 0 : 1;
    }

    /** @param {number} count */
    function plainBits(count) {
        let value = 0;
        for (; count > 0; count--) {
            range >>>= 1;
            const isOne = code >= range;
            if (isOne) { code -= range; }
            if (range < 1 << 24) { normalise(); }
            value = value * 2 + Number(isOne);
        }
        return value;
    }

    // A number of so many bits, the highest first. Each bit has a probability for each value of those before it.
    /** @param {Uint16Array} of @param {number} count @param {number} from */
    function tree(of, count, from = 0) {
        let node = 1;
        for (let index = 0; index < count; index++) { node = node * 2 + bit(of, from + node); }
        return node - (1 << count);
    }

    // The same with the lowest bit first.
    /** @param {Uint16Array} of @param {number} count @param {number} from */
    function reverseTree(of, count, from = 0) {
        let node = 1;
        let value = 0;
        for (let index = 0; index < count; index++) {
            const next = bit(of, from + node);
            node = node * 2 + next;
            value |= next << index;
        }
        return value;
    }

    const lengths = () => ({ choices: bits(2), low: bits(8 * MOST_POSITION_STATES), middle: bits(8 * MOST_POSITION_STATES), high: bits(256) });
    /** @typedef {ReturnType<typeof lengths>} Lengths */

    // How many bytes are copied, less the least.
    /** @param {Lengths} of @param {number} position */
    function length(of, position) {
        if (bit(of.choices, 0) === 0) { return tree(of.low, 3, 8 * position); }
        if (bit(of.choices, 1) === 0) { return 8 + tree(of.middle, 3, 8 * position); }
        return 16 + tree(of.high, 8);
    }

    const literals = bits(0x300 << literalContext + literalPosition);
    const isCopy = bits(STATES * MOST_POSITION_STATES);
    const isRepeated = bits(STATES);
    const isNotLast = bits(STATES);
    const isLong = bits(STATES * MOST_POSITION_STATES);
    const isNotSecond = bits(STATES);
    const isFourth = bits(STATES);
    const newLengths = lengths();
    const repeatedLengths = lengths();
    const slots = bits(4 * 64);
    const middleBits = bits(128);
    const lowBits = bits(16);

    // What the last steps were, and the distances of the last four copies, the newest first.
    let state = 0;
    let distances = [1, 1, 1, 1];
    let done = 0;

    function literal() {
        const before = done > 0 ? whole[done - 1] : 0;
        const from = 0x300 * (((done & (1 << literalPosition) - 1) << literalContext) + (before >> 8 - literalContext));
        let node = 1;
        if (state >= 7) {
            // After a copy the byte is most likely not the one that would have been copied next.
            let guess = whole[done - distances[0]];
            while (node < 0x100) {
                const guessed = guess >> 7 & 1;
                guess <<= 1;
                const next = bit(literals, from + (1 + guessed << 8) + node);
                node = node * 2 + next;
                if (next !== guessed) { break; }
            }
        }
        while (node < 0x100) { node = node * 2 + bit(literals, from + node); }
        whole[done++] = node;
        state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
    }

    // How far back a new copy begins.
    /** @param {number} short */
    function distance(short) {
        const slot = tree(slots, 6, 64 * Math.min(short, 3));
        if (slot < 4) { return slot + 1; }
        const count = (slot >> 1) - 1;
        const high = (2 + (slot & 1)) * 2 ** count;
        if (slot < 14) { return high + reverseTree(middleBits, count, high - slot) + 1; }
        return high + plainBits(count - 4) * 16 + reverseTree(lowBits, 4) + 1;
    }

    // Which of the last distances comes again; it becomes the newest.
    function repeated() {
        const which = bit(isNotLast, state) === 0 ? 0 : bit(isNotSecond, state) === 0 ? 1 : 2 + bit(isFourth, state);
        const [again] = distances.splice(which, 1);
        distances = [again, ...distances];
        return which;
    }

    /** @param {number} count */
    function copy(count) {
        if (distances[0] > done || done + count > whole.length) { throw new Error('the module is damaged'); }
        for (; count > 0; count--, done++) { whole[done] = whole[done - distances[0]]; }
    }

    while (done < whole.length) {
        const position = done & positionMask;
        const now = state * MOST_POSITION_STATES + position;
        if (bit(isCopy, now) === 0) {
            literal();
        } else if (bit(isRepeated, state) === 0) {
            const short = length(newLengths, position);
            distances = [distance(short), ...distances.slice(0, 3)];
            state = state < 7 ? 7 : 10;
            copy(short + SHORTEST);
        } else if (repeated() === 0 && bit(isLong, now) === 0) {
            state = state < 7 ? 9 : 11;
            copy(1);
        } else {
            const short = length(repeatedLengths, position);
            state = state < 7 ? 8 : 11;
            copy(short + SHORTEST);
        }
    }
    // A text that is whole ends with the number at the begin of its range.
    if (code !== 0) { throw new Error('the module is damaged'); }
    return whole;
}
