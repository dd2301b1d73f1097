// What is wrong with the live figures of the page: a list of sentences.
async () => {
    const found = [];
    const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    const until = async (what, is) => {
        const end = performance.now() + 20000;
        while (!is()) {
            if (performance.now() > end) { throw new Error(`${what} takes more than 20 seconds`); }
            await new Promise(resolve => { setTimeout(resolve, 4); });
        }
    };
    for (const box of document.querySelectorAll('main .live')) {
        const name = box.dataset.live;
        const say = what => found.push(`${name}: ${what}`);
        try {
            // What answers a question is shown to a reader who has answered.
            LanesGuess.reveal(box);
            if (!box.checkVisibility()) { say('it is not shown'); }
            if (box.lanesPlayer === undefined) { box.querySelector('.live-open').click(); }
            const player = box.lanesPlayer;
            const { record } = player.data;
            const [side] = player.sides;
            const shown = () => side.timeline.moment?.number === player.position && player.asking === null;
            const click = act => player.box.querySelector(`[data-act=${act}]`).click();
            if (player.isPlaying) { player.toggle(); }
            // A plain player shows each moment once its instructions are unfolded.
            player.box.querySelector('details.rest')?.setAttribute('open', '');
            // What came with the page is compared with what the emulator shows.
            for (const moment of record.first) {
                side.timeline.forget();
                await player.show(moment.number);
                await until('a moment', () => shown() || player.problem !== '');
                if (!same(side.timeline.moment, moment)) { say(`moment ${moment.number} is not that of the record`); }
            }

            // It plays, from the start, as fast as it can.
            await player.show(0);
            player.speed = 60;
            player.toggle();
            await until('the first steps', () => player.at >= Math.min(3, player.count - 1) || player.problem !== '');
            if (player.isPlaying) { player.toggle(); }

            // The launch of the module is that of the record, and so is its end.
            click('end');
            await until('the end', () => shown() || player.problem !== '');
            await side.run.begin();
            const { report } = side.run;
            for (const [what, mine, theirs] of [
                ['number of moments', report?.moments, record.moments], ['counters', report?.counters, record.counters],
                ['faults', report?.faults, record.faults], ['last moment', side.timeline.moment, record.last],
            ]) { if (!same(mine, theirs)) { say(`the ${what} is not that of the record: ${JSON.stringify(mine)}`.slice(0, 300)); } }
            if (player.box.querySelectorAll('.faults > li').length !== record.faults.length) { say('its faults are not listed'); }

            // Back, to the first moment too.
            click('back');
            await until('a step back', () => shown() || player.problem !== '');
            if (player.position !== Math.max(0, record.moments - 2)) { say(`a step back from the end leads to ${player.position}`); }
            await player.show(record.first.at(-1).number);
            await until('the first moment', () => shown() || player.problem !== '');
            if (!same(side.timeline.moment, record.first.at(-1))) { say('it opens at another moment than recorded'); }

            // To each fault, where its lanes are marked.
            for (const [index, fault] of record.faults.entries()) {
                await player.jump(0, index);
                const { moment } = side.timeline;
                const { top, bottom } = player.box.querySelector('.sides').getBoundingClientRect();
                if (bottom < 0 || top > innerHeight) { say(`${fault.kind} is shown out of sight`); }
                if (moment === undefined || moment.step < fault.step) { say(`the fault of step ${fault.step} is shown at ${moment?.step}`); }
                const here = fault.actors.filter(actor => same(actor.block, moment?.block)).length;
                if (here > 0 && player.box.querySelector('[data-actor]') === null) { say(`no lane of ${fault.kind} is marked`); }
                if (player.box.querySelector('.program .actor') === null) { say(`no line of ${fault.kind} is marked`); }
                // And to what each of its actors did.
                for (const button of [...player.box.querySelectorAll(`[data-fault="${index}"][data-actor-of]`)]) {
                    const actor = fault.actors[button.dataset.actorOf];
                    await player.jump(0, index, button.dataset.actorOf);
                    if (!LanesState.isBy(side.timeline.moment, actor, fault.location)) { say(`${fault.kind}: \`${actor.doing}\` is not at ${player.position}`); }
                }
            }

            // The second run of the page, beside the first one.
            if (player.data.beside !== null) {
                player.box.querySelector('[name=beside]').click();
                await until('the second run', () => player.sides.length === 2 && player.sides[1].timeline.moment !== undefined || player.problem !== '');
                await player.show(player.count - 1);
                await until('its end', () => player.asking === null);
                const [one, two] = player.sides.map(({ report }) => report);
                if (one?.moments !== record.moments || !(two?.moments > 0)) { say('the second run is not beside the first'); }
                if (player.box.querySelectorAll('.end').length !== 2) { say('what was found in the second run is not shown'); }
            }
            if (player.problem !== '') { say(player.problem); }
        } catch (error) {
            say(error.message);
        }
    }
    return found;
}
