// What the search finds. mdBook draws the field and the list of results; the texts are ours (`preprocessor`, `search.rs`), and they
// are so short that every section is read for every word. A word is found where a word or a part of a name begins: `threadfence`
// in `__threadfence()`, `sector` in `sectors`. Chinese is found everywhere.
'use strict';

(function search() {
    if (window.elasticlunr === undefined) { return; }
    const HAN = /\p{Script=Han}/u;
    // Tables and lists of everything, which have every word, come after the pages that explain it.
    const LISTS = /^(ledger|counters|hardware|compilers|supported|profile)\.html|\/exercises\.html/;

    /** @param {string} word */
    function pattern(word) {
        const escaped = word.replace(/[^\p{L}\p{N}_]/gu, '\\$&');
        return new RegExp(HAN.test(word) ? escaped : `(?<![a-z0-9])${escaped}`, 'giu');
    }

    /** @param {string} query */
    function words(query) {
        const found = query.toLowerCase().match(/[\p{L}\p{N}_.:]+/gu) ?? [];
        const trimmed = found.map(word => word.replace(/^[_.:]+|[_.:]+$/g, ''));
        // `sectors` finds `sector`.
        return trimmed.map(word => (word.length > 3 ? word.replace(/(?<=[a-z])s$/, '') : word)).filter(word => word !== '');
    }

    /** @param {string} text @param {RegExp} word */
    function times(text, word) { return text.match(word)?.length ?? 0; }

    // How well a section explains a word; 0 if it does not have it.
    /** @type {(doc: Lanes.Section, word: RegExp, mean: number) => number} */
    function weight({ inside, title, body, names }, word, mean) {
        const count = times(body, word);
        const often = 3 * count / (count + 0.5 + body.length / mean);
        const has = [title, inside, names].map(text => Number(times(text, word) > 0));
        return 8 * has[0] + 2 * has[1] + often + has[2];
    }

    /** @param {string} url @param {RegExp} phrase */
    function place(url, phrase) {
        if (HAN.test(phrase.source) && url.startsWith('glossary')) { return 10; }
        return LISTS.test(url) ? 0.2 : 1;
    }

    /** @param {Lanes.Section} doc @param {RegExp[]} sought @param {RegExp} phrase @param {number} mean */
    function score(doc, sought, phrase, mean) {
        const weights = sought.map(word => weight(doc, word, mean));
        const found = weights.filter(each => each > 0).length;
        const sum = weights.reduce((one, other) => one + other, 0);
        const isPhrase = sought.length > 1 && (times(doc.title, phrase) > 0 || times(doc.body, phrase) > 0);
        return { found, score: sum * (isPhrase ? 2 : 1) * place(doc.url, phrase) };
    }

    // Of the pages that have a word, the one that introduces it comes first: it has the word often, and is early in the book.
    /** @type {(ranked: Lanes.Ranked[]) => Lanes.Ranked[]} */
    function byPage(ranked) {
        /** @type {Map<string, number>} */
        const sums = new Map();
        for (const { doc, score } of ranked) {
            const page = doc.url.split('#')[0];
            sums.set(page, (sums.get(page) ?? 0) + score);
        }
        /** @param {Lanes.Section} doc */
        const often = doc => 1 + Math.log1p(sums.get(doc.url.split('#')[0]) ?? 0);
        /** @param {Lanes.Section} doc */
        const early = doc => 1 / (0.3 + doc.ref / ranked.length);
        return ranked.map(each => ({ ...each, score: each.score * often(each.doc) * early(each.doc) }));
    }

    // The text around the place, so that the list can show it; Chinese as a word of its own, so that the list can mark it.
    /** @type {(doc: Lanes.Section, sought: RegExp[]) => string} */
    function excerpt({ body, names }, sought) {
        const places = sought.map(word => body.search(word)).filter(at => at >= 0);
        if (places.length === 0) {
            const shown = names.split(' ').filter(name => sought.some(word => name.search(word) >= 0));
            return shown.length === 0 ? body : `In the code: ${shown.join(', ')}. ${body}`;
        }
        const at = Math.min(...places);
        const from = body.lastIndexOf(' ', Math.max(0, at - 60)) + 1;
        return sought.filter(word => HAN.test(word.source))
            .reduce((text, word) => text.replace(word, ' $& '), body.slice(from, at + 240));
    }

    class Texts {
        /** @param {string[][]} texts @param {string[]} urls */
        constructor(texts, urls) {
            this.docs = texts.map(([inside, title, body, names], ref) => ({ ref, url: urls[ref], inside, title, body, names }));
            this.mean = this.docs.reduce((sum, { body }) => sum + body.length, 1) / this.docs.length;
        }

        /** @param {string} query */
        search(query) {
            const parts = words(query);
            const sought = parts.map(pattern);
            const phrase = new RegExp(parts.map(part => pattern(part).source).join('\\w*\\s+'), 'giu');
            const ranked = byPage(this.docs.map(doc => ({ doc, ...score(doc, sought, phrase, this.mean) })));
            const most = Math.max(1, ...ranked.map(({ found }) => found));
            /** @type {(one: Lanes.Ranked, other: Lanes.Ranked) => number} */
            const isBefore = (one, other) => other.score - one.score || one.doc.ref - other.doc.ref;
            return ranked.filter(({ found }) => found === most).sort(isBefore).map(({ doc, score }) => ({
                ref: doc.ref,
                score,
                doc: {
                    title: doc.title,
                    body: excerpt(doc, sought),
                    breadcrumbs: doc.inside.endsWith(doc.title) ? doc.inside : `${doc.inside} » ${doc.title}`,
                },
            }));
        }
    }

    // mdBook loads what it takes for its index, and asks that.
    elasticlunr.Index.load = (/** @type {string[][]} */ texts) => new Texts(texts, window.search.doc_urls);
    window.LanesTexts = Texts;

    // mdBook searches when a key goes up. None does when an input method is done with a word, or one is pasted.
    const searchbar = document.getElementById('mdbook-searchbar');
    for (const kind of ['input', 'compositionend']) {
        searchbar?.addEventListener(kind, event => {
            if (!(event instanceof InputEvent && event.isComposing)) { searchbar.dispatchEvent(new KeyboardEvent('keyup')); }
        });
    }

    // From the list to the glossary: to the word's line, or the first that has it. mdBook has marked them by now.
    const marked = new URLSearchParams(location.search).get('highlight');
    const lines = marked === null ? [] : Array.from(document.querySelectorAll('main tr[id]:has(mark)'));
    const line = lines.find(each => each.querySelector('[lang="zh"]')?.textContent === marked) ?? lines[0];
    if (line) {
        line.classList.add('found');
        // The browser goes to the page's heading first, which the list has linked.
        window.addEventListener('load', () => line.scrollIntoView({ block: 'center' }));
    }
})();
