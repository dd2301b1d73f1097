// What is wrong with the listings of the page that can be run: a list of sentences.
async () => {
    const found = [];
    const results = window.lanesResults = [];
    for (const box of document.querySelectorAll('main .edit')) {
        const listing = box.lanesListing;
        const say = what => found.push(`${listing.data.id}: ${what}`);
        const kinds = report => report.faults.map(fault => fault.kind).join();
        try {
            // What is folded is opened by the reader first.
            for (let outer = box.closest('details'); outer !== null; outer = outer.parentElement.closest('details')) { outer.open = true; }
            LanesGuess.reveal(box);
            if (!box.checkVisibility()) { say('it is not shown'); }
            const isCut = each => each.scrollWidth > each.clientWidth;
            const size = each => getComputedStyle(each).fontSize;
            if (isCut(listing.pre) || isCut(listing.pre.firstElementChild)) { say('it is cut off'); }
            const read = size(listing.pre.querySelector('.row'));
            for (const { field, margin, under } of listing.open()) {
                if (isCut(field) || isCut(under)) { say('it is cut off when it is edited'); }
                if (size(field) !== read) { say(`its letters change from ${read} to ${size(field)}`); }
                if (Math.abs(field.scrollHeight - under.offsetHeight) > 2 || Math.abs(margin.offsetHeight - under.offsetHeight) > 2) { say(`its lines are at several heights: ${[field.scrollHeight, under.offsetHeight, margin.offsetHeight]}`); }
            }
            const { text } = LanesMargin.whole(listing.file, listing.data.parts, listing.texts);
            if (listing.isChanged) { say('it is changed before anybody has touched it'); }
            // Anchors inside of a listing are not shown, and so not put back.
            const code = all => all.split('\n').filter(line => !/ANCHOR/.test(line)).map(line => line.trim()).join('\n');
            if (code(text) !== code(listing.file)) { say('its parts are not those of the file'); }
            for (listing.choice = 0; listing.choice < listing.data.runs.length; listing.choice++) {
                const run = `launch ${listing.choice}`;
                await listing.run();
                if (listing.outcome.error !== undefined) { say(`${run}: ${listing.outcome.error.message}`); continue; }
                const own = listing.outcome.report;
                const about = () => /(There’s no single right result|The launch was stopped|esult is(n’t)? the expected one).*$/.exec(listing.said.textContent)?.[0] ?? `nothing: ${listing.said.textContent}`;
                const right = about();
                results.push([`${listing.data.id} ${run}`, right]);
                if (right.startsWith('nothing')) { say(`${run}: it does not say whether the result is right: ${right}`); }
                const rows = listing.editors.flatMap(editor => editor.rows);
                // Of a function that is called, the lines are charged to the caller by some compilers.
                const hasKernel = listing.texts.some(part => new RegExp(`\\b${listing.launch.launch.kernel}\\(`).test(part));
                if (hasKernel && !rows.some(row => row.count > 0)) { say(`${run}: no line has a count`); }
                if (listing.choice > 0) { continue; }
                listing.editors[0].text += '\n// changed';
                await listing.run();
                if (listing.outcome.error !== undefined) { say(`${run}, changed: ${listing.outcome.error.message}`); } else {
                    const { report, nvrtc, cudac } = listing.outcome;
                    // A race may come out in another way with the instructions of another compiler.
                    if (about() !== right && own.faults.length === 0) { say(`${run}: a comment changes the result from “${right}” to “${about()}”`); }
                    if (kinds(nvrtc) !== kinds(own)) { say(`${run}: the original is another one: ${kinds(nvrtc)}`); }
                    if (kinds(report) !== kinds(cudac)) { say(`${run}: a comment changes the faults from ${kinds(cudac)} to ${kinds(report)}`); }
                    if ((kinds(cudac) === '') !== (kinds(nvrtc) === '')) { say(`${run}: with cudac it has the faults ${kinds(cudac)}, with NVRTC ${kinds(nvrtc)}`); }
                }
                listing.reset();
            }
            listing.choice = 0;
            listing.close();
        } catch (error) {
            say(`${error.message} ${error.stack}`);
        }
    }
    return found;
}
