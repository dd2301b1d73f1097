// What mdBook's search does not find by itself: parts of names, and Chinese. Its index has the words of a page by how they
// begin, made of letters and stems; the texts of the pages are beside it. Neither is changed here, only what is looked up.
'use strict';

// `threadfence` finds `__threadfence()`, and `shfl_down` finds `sum(__shfl_down_sync(mask`: both are one word of the index.
(function names() {
    if (window.elasticlunr === undefined) { return; }
    const { Index, InvertedIndex } = elasticlunr;
    // Shorter words are parts of too many names.
    const SHORTEST = 3;

    // Where a word begins inside a name: after an underscore, or another sign.
    function place(name, word) {
        let at = name.indexOf(word);
        while (at > 0 && /[a-z0-9]/i.test(name[at - 1])) { at = name.indexOf(word, at + 1); }
        return at;
    }

    // The index asks for all its words that begin like the one that is sought; the call with a node is its own recursion.
    const expand = InvertedIndex.prototype.expandToken;
    const known = new WeakMap();
    function words(index) {
        if (!known.has(index)) {
            const first = Object.keys(index.root).filter(key => key !== 'docs' && key !== 'df');
            known.set(index, first.flatMap(letter => expand.call(index, letter)));
        }
        return known.get(index);
    }
    InvertedIndex.prototype.expandToken = function (word, found, node) {
        const begin = expand.call(this, word, found, node);
        if (node !== undefined || word.length < SHORTEST) { return begin; }
        return begin.concat(words(this).filter(name => place(name, word) > 0));
    };

    // mdBook shows the place where a word begins like the one that is sought. If there is none, it is given the text from
    // a few words before the name.
    function near(doc, sought) {
        const body = doc.body.toLowerCase();
        if (sought.some(word => body.startsWith(word) || body.includes(` ${word}`))) { return doc; }
        const at = Math.min(...sought.map(word => place(body, word)).filter(at => at > 0));
        if (!Number.isFinite(at)) { return doc; }
        const from = doc.body.lastIndexOf(' ', Math.max(0, at - 60)) + 1;
        return { ...doc, body: doc.body.slice(from) };
    }

    const search = Index.prototype.search;
    Index.prototype.search = function (query, options) {
        const words = query.toLowerCase().split(/\s+/).map(word => word.replace(/^\W+|\W+$/g, ''));
        const sought = words.filter(word => word.length >= SHORTEST);
        return search.call(this, query, options).map(found => ({ ...found, doc: near(found.doc, sought) }));
    };
})();

(function chinese() {
    // The index has no Chinese words; the texts have them.
    const HAN = /\p{Script=Han}+/gu;
    if (window.elasticlunr === undefined) { return; }

    // The words around the place, and the place as a word of its own, so that the list can mark it.
    function excerpt(doc, word) {
        const whole = doc.body.indexOf(` ${word} `);
        const at = whole < 0 ? doc.body.indexOf(word) : whole + 1;
        if (at < 0) { return doc.body; }
        const from = Math.max(0, doc.body.lastIndexOf(' ', Math.max(0, at - 60)));
        const after = at + word.length;
        return `${doc.body.slice(from, at)} ${word} ${doc.body.slice(after, after + 140)}`;
    }

    const search = elasticlunr.Index.prototype.search;
    elasticlunr.Index.prototype.search = function (query, options) {
        const words = query.match(HAN);
        if (words === null) { return search.call(this, query, options); }
        const rest = query.replace(HAN, ' ').trim();
        const among = rest === '' ? null : new Set(search.call(this, rest, options).map(found => String(found.ref)));
        const urls = window.search.doc_urls;
        return Object.entries(this.documentStore.docs)
            .filter(([ref, doc]) => (among === null || among.has(ref))
                && words.every(word => doc.body.includes(word) || doc.title.includes(word)))
            .map(([ref, doc]) => ({
                ref,
                score: urls[ref].startsWith('glossary.html') ? 2 : 1,
                doc: { ...doc, body: excerpt(doc, words[0]) },
            }))
            .sort((a, b) => b.score - a.score || a.ref - b.ref);
    };

    // mdBook searches when a key goes up. None does when an input method is done with a word, or one is pasted.
    const searchbar = document.getElementById('mdbook-searchbar');
    for (const kind of ['input', 'compositionend']) {
        searchbar?.addEventListener(kind, event => {
            if (!event.isComposing) { searchbar.dispatchEvent(new KeyboardEvent('keyup')); }
        });
    }

    // From the list to the glossary: to the word's line, or the first that has it. mdBook has marked them by now.
    const sought = new URLSearchParams(location.search).get('highlight');
    const lines = sought === null ? [] : Array.from(document.querySelectorAll('main tr[id]:has(mark)'));
    const line = lines.find(each => each.querySelector('[lang="zh"]')?.textContent === sought) ?? lines[0];
    if (line) {
        line.classList.add('found');
        // The browser goes to the page's heading first, which the list has linked.
        window.addEventListener('load', () => line.scrollIntoView({ block: 'center' }));
    }
})();
