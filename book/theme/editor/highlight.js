// The words of a program with the classes that the site's highlighter gives them. Nothing here touches a page.
//
// The highlighter of the site cannot be used while a reader types, because it replaces what it colours. This one knows what
// CUDA C++, PTX and TOML have in common with each other, and it loses no character: the texts of all words together are the
// program.
'use strict';

const LanesHighlight = (() => {
    const KEYWORDS = new Set(('alignas asm auto break case class const constexpr continue default do else enum extern false for goto if inline ' +
        'namespace nullptr operator private public register restrict return sizeof static struct switch template this true typedef typename ' +
        'union using volatile while __global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ __launch_bounds__').split(' '));
    const TYPES = new Set(('bool char double float half int long short signed unsigned void size_t int8_t int16_t int32_t int64_t uint8_t uint16_t ' +
        'uint32_t uint64_t int2 int3 int4 uint2 uint3 uint4 float2 float3 float4 double2 dim3').split(' '));
    const BUILT_IN = new Set('threadIdx blockIdx blockDim gridDim warpSize'.split(' '));
    // In this order: a comment, an order to the preprocessor, a text, a number, a word. What is between them has no class.
    const WORD = /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|(?![\s\S])))|((?<=^[ \t]*)#[^\n]*)|("(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|((?<![\w.])(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)[uUlLfF]*)|([A-Za-z_]\w*)/gm;

    /** @param {string[]} match */
    function classOf([, comment, order, text, number, word]) {
        if (comment !== undefined) { return 'hljs-comment'; }
        if (order !== undefined) { return 'hljs-meta'; }
        if (text !== undefined) { return 'hljs-string'; }
        if (number !== undefined) { return 'hljs-number'; }
        if (KEYWORDS.has(word)) { return 'hljs-keyword'; }
        if (TYPES.has(word)) { return 'hljs-type'; }
        return BUILT_IN.has(word) || /^(?:__\w+|atomic[A-Z]\w*)$/.test(word) ? 'hljs-built_in' : '';
    }

    // The words of a text, as pairs of a class, which may be empty, and a text.
    /** @type {(text: string) => Lanes.Word[]} */
    function words(text) {
        /** @type {Lanes.Word[]} */
        const found = [];
        let end = 0;
        /** @type {(name: string, part: string) => void} */
        const add = (name, part) => {
            if (part === '') { return; }
            const last = found.at(-1);
            if (last !== undefined && last[0] === name && name === '') { last[1] += part; } else { found.push([name, part]); }
        };
        for (const match of text.matchAll(WORD)) {
            add('', text.slice(end, match.index));
            add(classOf(match), match[0]);
            end = match.index + match[0].length;
        }
        add('', text.slice(end));
        return found;
    }

    // The words of each line: a comment of several lines has a part in each.
    /** @type {(text: string) => Lanes.Word[][]} */
    function lines(text) {
        /** @type {Lanes.Word[][]} */
        const all = [[]];
        for (const [name, part] of words(text)) {
            part.split('\n').forEach((piece, index) => {
                if (index > 0) { all.push([]); }
                if (piece !== '') { all[all.length - 1].push([name, piece]); }
            });
        }
        return all;
    }

    return { words, lines };
})();
