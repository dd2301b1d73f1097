// The live figures of a page: the directive `live` writes the data of each, and this script puts a button there that turns it
// into a player. Without JavaScript the figure above it is all there is. It runs before the text is read, and waits for its end, but
// not for the scripts that come after the text.
'use strict';

(function live() {
    const root = typeof path_to_root === 'undefined' ? '' : path_to_root;
    /** @type {LanesMachine | null} */
    let machine = null;

    /** @param {HTMLElement} box */
    function open(box) {
        machine ??= LanesMachine.ofPage(root);
        const data = JSON.parse(/** @type {Comment} */ ([...box.childNodes].find(node => node.nodeType === Node.COMMENT_NODE)).data);
        const place = document.createElement('div');
        place.setAttribute('role', 'group');
        place.setAttribute('aria-label', `Player: ${data.title}`);
        box.querySelector('.live-open')?.remove();
        box.append(place);
        box.lanesPlayer = new LanesPlayer(place, data, machine);
        return box.lanesPlayer;
    }

    /** @param {HTMLElement} box */
    function prepare(box) {
        box.hidden = false;
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'live-open';
        button.textContent = '▶ Run it here';
        button.setAttribute('aria-label', `Run it here: ${box.dataset.title}`);
        button.addEventListener('click', () => {
            const player = open(box);
            player.box.querySelector('[data-act="play"]')?.focus({ preventScroll: true });
            if (!matchMedia('(prefers-reduced-motion: reduce)').matches) { player.toggle(); }
        });
        const title = /** @type {HTMLElement} */ (box.querySelector('p'));
        title.className = 'live-title';
        title.before(button);
        box.addEventListener('lanes-open', () => open(box));
        if ('plays' in box.dataset) { open(box); }
    }

    // Whether the parser has left the text.
    function isRead() { return document.readyState !== 'loading' || document.querySelector('main ~ *') !== null; }

    function prepareAll() { document.querySelectorAll('main .live').forEach(prepare); }

    if (isRead()) { return prepareAll(); }
    const parsing = new MutationObserver(() => {
        if (!isRead()) { return; }
        parsing.disconnect();
        prepareAll();
    });
    parsing.observe(document, { childList: true, subtree: true });
})();
