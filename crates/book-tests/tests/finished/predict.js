// What a reader sees too early, or not at all, of the answers to the questions of the page: a list of sentences. It looks at what is
// laid out, and knows neither the sources of the page nor its classes for what is hidden: everything between a question and the next
// heading has to be hidden until the question is answered.
async () => {
    const found = [];
    const main = document.querySelector('main');
    const isHeading = element => /^H[1-6]$/.test(element.tagName);
    const isSeen = element => element.checkVisibility({ visibilityProperty: true }) && [...element.getClientRects()].some(({ width, height }) => width * height > 0);
    const letters = node => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return node.data.trim() !== '' && isSeen(node.parentElement) && [...range.getClientRects()].some(({ width, height }) => width * height > 1);
    };
    // The visible texts and pictures after a box, up to the next heading that is seen.
    const after = box => {
        const seen = [];
        const all = document.createTreeWalker(main, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
        for (let node = all.nextNode(); node !== null; node = all.nextNode()) {
            if (!(box.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) || box.contains(node)) { continue; }
            if (node instanceof Element) {
                // At the end of the page are its exercises.
                if (node.matches('.practise') || (isHeading(node) && isSeen(node))) { break; }
                if (node.matches('svg, img, canvas, table, pre, input, button') && isSeen(node)) { seen.push(`<${node.localName}>`); }
            } else if (letters(node)) { seen.push(node.data.trim()); }
        }
        return seen;
    };
    const unanswered = () => [...main.querySelectorAll('[data-question=predict]')].filter(box => isSeen(box) && after(box).length === 0);
    const asked = main.querySelectorAll('[data-question=predict]').length;
    let answered = 0;
    for (let box of [...main.querySelectorAll('[data-question=predict]')]) {
        const say = what => found.push(`${box.querySelector('legend')?.textContent}: ${what}`);
        if (!isSeen(box)) { say('the question cannot be seen when all before it are answered'); continue; }
        const early = after(box);
        if (early.length > 0) { say(`this is seen before it is answered: ${early.slice(0, 3).join(' | ').slice(0, 200)}`); }
        // Listings above it do not tell, unless a fault that is seen has told already.
        const above = [...main.querySelectorAll('.listing, .fault')].filter(each => isSeen(each) && box.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_PRECEDING);
        const untold = above.slice(above.findLastIndex(each => each.matches('.fault')) + 1);
        for (const listing of untold) {
            const code = listing.querySelector('code');
            if (/\S *\/\/ (race|wrong)\b/.test(code.innerText)) { say('a comment above it says what is wrong'); }
            if ([...listing.querySelectorAll('[aria-label="named by a fault"]')].some(isSeen)) { say('a line above it is marked'); }
        }
        // Large numbers are not on the page by chance.
        const { is = '', of } = box.querySelector('[data-is]').dataset;
        if (of === 'number' && Number(is) >= 1000) {
            const text = main.innerText.replace(/(?<=\d),(?=\d{3})/g, '');
            const own = box.innerText.replace(/(?<=\d),(?=\d{3})/g, '');
            if (new RegExp(`\\b${is}\\b`).test(text.slice(0, text.indexOf(own) + own.length))) { say(`${is} is seen above it or in it`); }
        }
        // Every second reader gives up.
        const buttons = [...box.querySelectorAll('button')].filter(isSeen);
        const show = buttons.find(button => button.textContent === 'Show me');
        if (show === undefined) { say('there is no “Show me”'); continue; }
        if (answered % 2 === 0) {
            const { question } = box.querySelector('.guess').lanesGuess;
            question.take(is);
            buttons.find(button => /Check/.test(button.textContent)).click();
            if (!/^Right: /.test(box.querySelector('[role=status]').textContent)) { say('the right answer is not accepted'); }
        } else {
            show.click();
            if (!/^It’s /.test(box.querySelector('[role=status]').textContent)) { say('it is shown, and not said'); }
        }
        answered += 1;
        if (after(box).length === 0) { say('nothing appears when it is answered'); }
        if (isSeen(show)) { say('“Show me” stays'); }
    }
    if (answered < asked) { found.push(`${asked - answered} of ${asked} questions cannot be answered`); }
    if (unanswered().length > 0) { found.push('a question hides its answer for ever'); }
    const hidden = [...main.querySelectorAll('.answer')].filter(each => each.matches('div') && !isSeen(each)).length;
    if (hidden > 0) { found.push(`${hidden} answers stay hidden`); }
    return found;
}
