// The page is complete without this script. It lets a command be copied, breaks commands and long names where they may be
// broken, and lets the keyboard scroll what is wide.
'use strict';

(function copies() {
    const said = document.createElement('div');
    said.setAttribute('role', 'status');
    said.style.cssText = 'position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)';

    // A page from a file, or over plain HTTP, has no clipboard: there the command is selected, to be copied by hand.
    /** @param {HTMLElement} code */
    function select(code) {
        const range = document.createRange();
        range.selectNodeContents(code);
        const selection = window.getSelection();
        selection?.removeAllRanges();
        selection?.addRange(range);
        return document.execCommand('copy');
    }

    /** @param {HTMLElement} code */
    async function copy(code) {
        try {
            await navigator.clipboard.writeText(code.textContent);
            return true;
        } catch {
            return select(code);
        }
    }

    const commands = document.querySelectorAll('.command');
    if (commands.length > 0) { document.body.append(said); }
    commands.forEach(command => {
        const code = /** @type {HTMLElement} */ (command.querySelector('code'));
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'copy';
        button.textContent = 'Copy';
        button.setAttribute('aria-label', `Copy the command: ${code.textContent}`);
        button.addEventListener('click', async () => {
            const done = await copy(code);
            button.textContent = done ? 'Copied' : 'Selected';
            said.textContent = done ? 'Command copied' : 'Command selected';
            setTimeout(() => {
                button.textContent = 'Copy';
                said.textContent = '';
            }, 1600);
        });
        command.append(button);
    });
})();

(function breaks() {
    // A browser would break a command behind any hyphen. Here a word of it stays whole, and only comments have a colour:
    // the highlighter takes `--help` and `--print` for the shell's own.
    /** @param {string} line */
    function words(line) {
        return (line.match(/(?<!\S)#.*|\S+|\s+/g) ?? []).map(part => {
            if (/^\s/.test(part)) { return part; }
            if (part.startsWith('#')) { return span('hljs-comment', part); }
            return span('word', ...part.split(/(?<=[,/])/).flatMap((name, i) => (i === 0 ? [name] : [document.createElement('wbr'), name])));
        });
    }

    /** @param {string} name @param {(string | Node)[]} inside */
    function span(name, ...inside) {
        const made = document.createElement('span');
        made.className = name;
        made.append(...inside);
        return made;
    }

    // The end of a line is there for who reads the text, and not shown: each line is a block.
    document.querySelectorAll('main :is(.command > code, pre > code.language-sh)').forEach(code => {
        const lines = code.textContent.replace(/\n$/, '').split('\n').map(words);
        if (lines.length === 1 && code.parentElement?.localName !== 'pre') { return code.replaceChildren(...lines[0]); }
        code.replaceChildren(...lines.map((line, i) => {
            const end = span('', i + 1 < lines.length ? '\n' : '');
            end.hidden = true;
            return span('line', ...line, end);
        }));
    });

    // A long name may be broken behind a sign, but into no smaller pieces than these. A table on a phone needs smaller ones.
    const PIECE = 12;
    const PIECE_IN_TABLE = 6;
    document.querySelectorAll('main :not(pre, .command) > code').forEach(code => {
        const text = code.textContent;
        const piece = code.closest('td') === null ? PIECE : PIECE_IN_TABLE;
        if (code.childElementCount > 0) { return; }
        if (text.length < 2 * piece || text.includes(' ')) {
            if (text.includes('-')) { code.replaceChildren(...words(text)); }
            return;
        }
        const pieces = [''];
        for (const part of text.match(/[^_.,|/:]+[_.,|/:]*|[_.,|/:]+/g) ?? []) {
            const left = text.length - pieces.join('').length;
            if (pieces[pieces.length - 1].length >= piece && left >= piece) { pieces.push(''); }
            pieces[pieces.length - 1] += part;
        }
        code.replaceChildren(...pieces.flatMap((part, i) => (i === 0 ? [part] : [document.createElement('wbr'), part])));
    });
})();

(function wide() {
    // A table that was written as HTML has no box of its own to scroll in.
    document.querySelectorAll('main table').forEach(table => {
        if (table.closest('.table-wrapper') !== null) { return; }
        const box = document.createElement('div');
        box.className = 'table-wrapper';
        table.replaceWith(box);
        box.append(table);
    });

    /** @param {HTMLElement} box */
    function name(box) {
        const caption = box.closest('figure')?.querySelector('figcaption') ?? box.querySelector('caption');
        if (caption) { return caption.textContent; }
        const label = box.querySelector('table')?.getAttribute('aria-label');
        if (label) { return label; }
        if (box.matches('.table-wrapper')) { return 'Table'; }
        return box.matches('.katex-display') ? 'Formula' : 'Code';
    }

    // What is cut off at the right fades out there.
    const boxes = document.querySelectorAll('main :is(pre > code, .output pre, .table-wrapper, .katex-display)');
    /** @param {HTMLElement} box */
    function fade(box) {
        box.classList.toggle('more', box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
    }
    // Regions of the same name are numbered, because a screen reader lists them by their names.
    const named = new Map();
    /** @param {string} label */
    function unique(label) {
        const count = (named.get(label) ?? 0) + 1;
        named.set(label, count);
        return count === 1 ? label : `${label} (${count})`;
    }
    function reach() {
        boxes.forEach(box => {
            if (!box.matches('.output pre > code')) { fade(box); }
            if (box.closest('.output pre') !== null || box.scrollWidth <= box.clientWidth || box.tabIndex === 0) { return; }
            box.tabIndex = 0;
            box.setAttribute('role', 'region');
            box.setAttribute('aria-label', unique(name(box)));
        });
    }
    boxes.forEach(box => box.addEventListener('scroll', () => fade(box), { passive: true }));
    reach();
    document.fonts?.ready.then(reach);
    window.addEventListener('resize', reach);
    document.addEventListener('toggle', reach, true);

    // mdBook turns the page at an arrow, also while the arrow scrolls a box.
    document.querySelector('main')?.addEventListener('keydown', event => {
        const box = /** @type {HTMLElement} */ (event.target);
        if ((event.key === 'ArrowLeft' || event.key === 'ArrowRight') && box.scrollWidth > box.clientWidth) {
            event.stopPropagation();
        }
    });

    // What is folded is printed all the same.
    window.addEventListener('beforeprint', () => {
        document.querySelectorAll('main details').forEach(details => details.setAttribute('open', ''));
    });
})();
