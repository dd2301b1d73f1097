// Opens the live figures of the page, at the first fault or else at the end, with everything unfolded.
async () => {
    for (const box of document.querySelectorAll('main .live')) {
        LanesGuess.reveal(box);
        if (box.lanesPlayer === undefined) { box.querySelector('.live-open').click(); }
        const player = box.lanesPlayer;
        if (player.isPlaying) { player.toggle(); }
        await player.show(player.count - 1);
        if (player.data.record.faults.length > 0) { await player.jump(0, 0); }
        const end = performance.now() + 20000;
        for (;;) {
            // What is folded inside of another fold is drawn once that is unfolded.
            player.box.querySelectorAll('details').forEach(details => { details.open = true; });
            if (player.details !== null && player.asking === null) { break; }
            if (performance.now() > end) { return [`${box.dataset.live}: its registers are not shown`]; }
            await new Promise(resolve => { setTimeout(resolve, 4); });
        }
    }
    return [];
}
