// What is wrong with the page as it is shown: a list of sentences. It is the one at `address`, was loaded with the theme `first`
// and is now shown in another one, and was written with so many formulas.
async (address, theme, first, formulas) => {
    const found = [];
    if (document.readyState !== 'complete') { await new Promise(loaded => addEventListener('load', loaded)); }
    // The theme is chosen as a reader does, and the next page is loaded with the first one again.
    if (theme !== first) { document.getElementById(`mdbook-theme-${theme}`).click(); }
    localStorage.setItem('mdbook-theme', first);
    const sheets = [...document.querySelectorAll('link[rel=stylesheet]')];
    while (sheets.some(sheet => !sheet.disabled && sheet.sheet === null)) { await new Promise(resolve => { setTimeout(resolve, 4); }); }
    if (!document.documentElement.classList.contains(theme)) { found.push(`the theme is not ${theme}`); }
    // Also what a reader sees after answering.
    for (const answer of document.querySelectorAll('main .answer')) { LanesGuess.reveal(answer); }
    // Fonts are asked for when the page is laid out, which reading a size does.
    const root = document.documentElement;
    if (root.scrollWidth > 0) { await document.fonts.ready; }
    if (location.href !== address) { found.push(`this is ${location.href}`); }
    const main = document.querySelector('main');

    // Nothing is wider than the window, unless it stands in a box that scrolls.
    const content = document.getElementById('mdbook-content');
    if (root.scrollWidth > innerWidth) { found.push(`the page is ${root.scrollWidth} wide, the window ${innerWidth}`); }
    if (content.scrollWidth > content.clientWidth) {
        const edge = content.getBoundingClientRect().right;
        const scrolls = e => e !== content && ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(e).overflowX);
        const inBox = e => { for (e = e.parentElement; e && e !== content; e = e.parentElement) { if (scrolls(e)) { return true; } } };
        const wide = [...main.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > edge + 1 && !inBox(e));
        found.push(`the text is ${content.scrollWidth} wide, its column ${content.clientWidth}: ${wide.slice(0, 3).map(e =>
            `<${e.localName} class="${e.getAttribute('class') ?? ''}"> ${e.textContent.trim().slice(0, 40)}`).join('; ')}`);
    }
    for (const box of main.querySelectorAll('*')) {
        const scrolls = box.scrollWidth > box.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(box).overflowX);
        if (scrolls && box.tabIndex < 0) { found.push(`<${box.localName} class="${box.className}"> scrolls, and no key reaches it`); }
    }
    // On a phone a table of many columns scrolls; a desktop has room for all.
    for (const box of innerWidth > 1000 ? main.querySelectorAll('.table-wrapper') : []) {
        if (box.scrollWidth > box.clientWidth + 1) { found.push(`a table is ${box.scrollWidth} wide, its box ${box.clientWidth}: ${box.textContent.trim().slice(0, 40)}`); }
    }
    const chapters = document.getElementById('mdbook-sidebar');
    if (innerWidth < 620 && chapters.checkVisibility() && chapters.getBoundingClientRect().right > 0) {
        found.push('the list of chapters covers the page');
    }

    // Formulas are set, in their fonts.
    const set = [...main.querySelectorAll('.katex')];
    if (set.length !== formulas) { found.push(`${set.length} formulas are set, and ${formulas} were written`); }
    if (set.length > 0) {
        // A formula in an answer that is folded needs no font yet.
        const isSeen = set.some(e => e.checkVisibility({ contentVisibilityAuto: true }));
        if (isSeen && ![...document.fonts].some(font => font.family.includes('KaTeX_Main') && font.status === 'loaded')) { found.push('the fonts of the formulas are not there'); }
        if (set.some(e => e.querySelector('math') === null)) { found.push('a formula has nothing to be read aloud'); }
    }
    const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    for (let text; (text = texts.nextNode());) {
        if (/\$\$|\$[^$\s][^$]*\$/.test(text.data) && !text.parentElement.closest('code, pre, annotation, svg')) { found.push(`a formula is not set: ${text.data.trim()}`); }
    }

    // Pictures are also said.
    for (const image of document.images) { if (!image.alt) { found.push(`the image ${image.src} has no text`); } }
    for (const drawing of main.querySelectorAll('svg')) {
        const ids = (drawing.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
        const named = ids.length > 0 ? ids.every(id => document.getElementById(id)?.textContent.trim())
            : drawing.getAttribute('aria-label') || drawing.querySelector(':scope > title')?.textContent.trim();
        if (!named && !drawing.closest('[aria-hidden=true]')) { found.push('a drawing has no text'); }
        if (named && drawing.clientWidth > 0 && drawing.clientWidth < 200) { found.push(`a drawing is ${drawing.clientWidth} wide`); }
    }

    // The tabs are made.
    for (const tabs of main.querySelectorAll('.tabs')) {
        const panels = tabs.querySelectorAll(':scope > .tab').length;
        if (panels > 1 && tabs.querySelectorAll('[role=tab]').length !== panels) { found.push('an output has no tabs'); }
    }
    for (const command of main.querySelectorAll('.command')) {
        if (!command.querySelector('button.copy')) { found.push('a command cannot be copied'); }
    }

    // Words are told from what is behind them: WCAG 2, level AA. No colour depends on the window.
    if (innerWidth < 620) { return found; }
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const brush = canvas.getContext('2d', { willReadFrequently: true });
    const known = new Map();
    const rgba = color => {
        if (!known.has(color)) {
            brush.clearRect(0, 0, 1, 1);
            brush.fillStyle = color;
            brush.fillRect(0, 0, 1, 1);
            const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
            known.set(color, [r, g, b, a / 255]);
        }
        return known.get(color);
    };
    const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
    const backs = new Map([[null, [255, 255, 255, 1]]]);
    const behind = e => {
        if (!backs.has(e)) {
            const color = rgba(getComputedStyle(e).backgroundColor);
            backs.set(e, color[3] === 1 ? color : over(color, behind(e.parentElement)));
        }
        return backs.get(e);
    };
    const light = color => {
        const [r, g, b] = color.map(part => { part /= 255; return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const pale = new Map();
    const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text; (text = words.nextNode());) {
        const element = text.parentElement;
        if (!text.data.trim() || !element.closest('main, #mdbook-sidebar') || element.closest('svg, script, style, noscript, .katex-mathml, [hidden]')) { continue; }
        if (!element.checkVisibility({ visibilityProperty: true })) { continue; }
        const style = getComputedStyle(element);
        const back = behind(element);
        const [one, other] = [light(over(rgba(style.color), back)), light(back)];
        const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        const size = parseFloat(style.fontSize);
        const needed = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
        if (ratio < needed) {
            const name = `<${element.localName} class="${element.getAttribute('class') ?? ''}">`;
            if (!pale.has(name)) { pale.set(name, `${name} has a contrast of ${ratio.toFixed(2)}, not ${needed}: ${text.data.trim().slice(0, 40)}`); }
        }
    }
    found.push(...pale.values());
    return found;
}
