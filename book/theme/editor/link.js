// Texts of a reader in the fragment of an address: `#edit=1.…`, in which the number is the version of the format, and the rest is
// JSON, packed with deflate and written in base64 with the letters that an address may have.
//
// What comes from an address was written by anybody. So it is bounded before it is unpacked whole, it is only ever put in a
// field for texts, and whatever is wrong with it is one message. Nothing here runs it.
'use strict';

const LanesLink = (() => {
    const VERSION = 1;
    const MOST_BYTES = 32 << 10;
    const NAME = 'edit';

    class LinkError extends Error {}

    /** @param {Uint8Array} bytes */
    function base64(bytes) {
        let text = '';
        bytes.forEach(byte => { text += String.fromCharCode(byte); });
        return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
    }

    /** @param {string} text */
    function bytesOf(text) {
        if (!/^[\w-]+$/.test(text)) { throw new LinkError('the link is damaged: copy it again'); }
        let letters;
        try {
            letters = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
        } catch {
            throw new LinkError('the link is damaged: copy it again');
        }
        return Uint8Array.from(letters, letter => letter.charCodeAt(0));
    }

    /** @type {(bytes: Uint8Array, stream: CompressionStream | DecompressionStream, most: number) => Promise<Uint8Array>} */
    async function through(bytes, stream, most) {
        const source = new ReadableStream({ start(to) { to.enqueue(bytes); to.close(); } });
        const reader = source.pipeThrough(stream).getReader();
        const parts = [];
        let length = 0;
        for (;;) {
            const { done, value } = await reader.read();
            if (done) { break; }
            length += value.length;
            if (length > most) {
                reader.cancel().catch(() => {});
                throw new LinkError(`the link has more than ${MOST_BYTES / 1024} kB of text, which is too much for a page`);
            }
            parts.push(value);
        }
        const all = new Uint8Array(length);
        let at = 0;
        parts.forEach(part => { all.set(part, at); at += part.length; });
        return all;
    }

    // The fragment that stands for the texts of a listing or an exercise. `what` names it, and `texts` has its parts.
    /** @param {string} what @param {string[]} texts */
    async function pack(what, texts) {
        const bytes = new TextEncoder().encode(JSON.stringify({ what, texts }));
        if (bytes.length > MOST_BYTES) { throw new LinkError(`the text has ${bytes.length} bytes, and a link holds ${MOST_BYTES}: make it shorter`); }
        const packed = await through(bytes, new CompressionStream('deflate-raw'), Infinity);
        return `#${NAME}=${VERSION}.${base64(packed)}`;
    }

    // What a fragment stands for, or null if it is another one.
    /** @type {(fragment: string) => Promise<{ what: string, texts: string[] } | null>} */
    async function unpack(fragment) {
        const match = /^#edit=(\d+)\.(.*)$/s.exec(fragment);
        if (match === null) {
            if (fragment.startsWith(`#${NAME}=`)) { throw new LinkError('the link is damaged: copy it again'); }
            return null;
        }
        if (Number(match[1]) > VERSION) { throw new LinkError('the link was made by a newer version of the book: open it there'); }
        if (Number(match[1]) < VERSION) { throw new LinkError('the link is damaged: copy it again'); }
        if (match[2].length > 2 * MOST_BYTES) { throw new LinkError(`the link has more than ${MOST_BYTES / 1024} kB of text, which is too much for a page`); }
        let value;
        try {
            value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await through(bytesOf(match[2]), new DecompressionStream('deflate-raw'), MOST_BYTES)));
        } catch (error) {
            throw error instanceof LinkError ? error : new LinkError('the link is damaged: copy it again');
        }
        const isOne = value !== null && typeof value === 'object' && typeof value.what === 'string' && Array.isArray(value.texts) && value.texts.every((/** @type {unknown} */ text) => typeof text === 'string');
        if (!isOne) { throw new LinkError('the link is damaged: copy it again'); }
        return { what: value.what, texts: value.texts };
    }

    return { pack, unpack, LinkError };
})();
