// The last part of the script of a page that `lanes play` wrote: starts the player.
(function start() {
    const data = JSON.parse(document.getElementById('launch').textContent);
    const module = globalThis.lanesModule;
    const machine = LanesMachine.inBrowser(async () => LanesMachine.bytes(module));
    const box = document.getElementById('player');
    box.setAttribute('role', 'group');
    box.setAttribute('aria-label', `Player: ${data.title}`);
    new LanesPlayer(box, data, machine);
})();
