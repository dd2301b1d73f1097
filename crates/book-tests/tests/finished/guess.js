// What is wrong with the questions that the page asks before it answers: a list of sentences.
async () => {
    const found = [];
    for (const box of document.querySelectorAll('main .guess')) {
        const { lanesGuess: guess } = box;
        const { question, is, of } = guess;
        const say = what => found.push(`${box.textContent.trim().slice(0, 60)}: ${what}`);
        const answer = value => { question.take(value); box.querySelector('.edit-bar button').click(); return guess.said.textContent; };
        if (question.value !== '' || guess.said.textContent !== '') { say('it is answered before the reader does'); }
        const answer_of = document.querySelector(`main .answer[data-answer="${box.closest('.predict')?.id}"]`);
        if (answer_of === null) { say('it has no answer'); continue; }
        const isShown = () => answer_of.checkVisibility();
        if (!/first/.test(answer(''))) { say(`nothing is an answer: ${guess.said.textContent}`); }
        if (isShown()) { say('its answer is shown too early'); }
        const words = [...question.box.querySelectorAll('input[type=radio]')].map(radio => radio.value);
        if (of === 'word' && !words.includes(is)) { say(`${is} cannot be chosen`); }
        const wrong = of === 'number' ? `${Number(is) + 1}` : of === 'word' ? words.find(word => word !== is) : is === '5' ? '6' : '5';
        if (!answer(wrong).startsWith('No: it’s ')) { say(`${wrong} is an answer: ${guess.said.textContent}`); }
        if (!isShown()) { say('its answer is not shown'); }
        if (of === 'lane' && question.squares[5].dataset.was !== (is === '5' || LanesQuestion.read(is)(5) ? 'is' : 'is-not')) { say('lane 5 is not marked'); }
        if (!answer(is).startsWith('Right: ')) { say(`${is} is no answer: ${guess.said.textContent}`); }
        if (guess.figure === null) { continue; }
        const player = guess.figure.lanesPlayer;
        const end = performance.now() + 20000;
        while ((player.sides[0].timeline.moment?.number !== guess.moment || player.asking !== null) && performance.now() < end) { await new Promise(resolve => { setTimeout(resolve, 4); }); }
        await new Promise(requestAnimationFrame);
        const { top, bottom } = player.box.querySelector('.sides').getBoundingClientRect();
        const isSeen = said => said.checkVisibility() && said.getBoundingClientRect().top > 0 && said.getBoundingClientRect().bottom < innerHeight;
        if (![guess.said, guess.again].some(isSeen)) { say('what is said about the answer is out of sight'); }
        if (bottom < 0 || top > innerHeight - 60) { say(`the lanes are out of sight, at ${top}`); }
        if (player.position !== guess.moment || player.problem !== '') { say(`the player is at ${player.position}: ${player.problem}`); }
    }
    return found;
}
