// Makes the listings and the exercises of a page live, and reads a link that brings a text for one of them. It runs nothing.
'use strict';

(function start() {
    const root = typeof path_to_root === 'undefined' ? '' : path_to_root;
    const drafts = new LanesDrafts.Drafts(() => window.localStorage);
    const listings = LanesListing.start(root, drafts);
    const course = LanesExercise.start(root, drafts);
    LanesDrafts.listen(drafts, [...listings, ...(course?.exercises.values() ?? [])]);
    // What was guessed is nobody's text: where it cannot be stored, that keeps no reader on the page.
    LanesGuess.start(new LanesDrafts.Drafts(() => window.localStorage));

    /** @param {string} message */
    function problem(message) {
        const said = LanesEditor.element('p', 'edit-problem', `Error: ${message}.`);
        said.setAttribute('role', 'alert');
        document.querySelector('main')?.prepend(said);
    }

    async function arrive() {
        document.querySelectorAll('.edit-problem').forEach(said => said.remove());
        try {
            const link = await LanesLink.unpack(location.hash);
            if (link === null) { return; }
            const exercise = /^exercise (\w+)$/.exec(link.what)?.[1];
            const target = exercise === undefined ? listings.find(({ data }) => data.id === link.what) : course?.exercises.get(exercise);
            if (target === undefined) { throw new LanesLink.LinkError('the link is about a listing that this page does not have'); }
            LanesGuess.reveal(target.place);
            target.take(link.texts);
        } catch (error) {
            if (!(error instanceof LanesLink.LinkError)) { throw error; }
            problem(error.message);
        }
    }

    window.addEventListener('hashchange', arrive);
    arrive();
})();
