// What the player draws, as trees: ten states of launches that the emulator ran, compared with the committed texts in
// `states/`. The standard input has one state a line: its name and what the player was given.
//
// With the argument `write`, the texts are written instead: `cargo xtask bless` does that.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { player } from './support.mjs';

const [State, View, Timeline, Frame] = player('[LanesState, LanesView, LanesTimeline, LanesFrame]');
const FOLDER = new URL('states/', import.meta.url);

function side(launch, report, moments) {
    const timeline = new Timeline(report.moments);
    timeline.add(moments);
    timeline.show(moments.at(-1).number);
    return { launch, report, timeline, actors: [] };
}

// The text of a player in this state.
function shown({ data, launch, report, moments, isOver, actors, details, chosen }) {
    const first = side(launch, report, moments);
    first.actors = actors ?? [];
    const { moment } = first.timeline;
    const seen = new Set(moment.warps.flatMap(warp => [...State.lanes(moment, warp.warp)]));
    const tree = Frame.all({
        data: { program: { name: 'k.ptx', text: '' }, ...data, launch, beside: null }, sides: [first], isPlaying: false, isBusy: false, isOver: isOver === true, count: report.moments,
        position: moment.number, said: '', sentence: State.sentence(moment), ptx: [[moment.ptx_line, moment.ptx]], chosen: chosen ?? null,
        details: details ?? null, seen, buffers: [{ name: 'x', type: 'i32', bytes: 128 }], speeds: [[8, 'steady']],
    });
    return tree.map(part => View.text(part)).join('');
}

const wrong = [];
for (const line of readFileSync(0, 'utf8').trim().split('\n')) {
    const state = JSON.parse(line);
    const file = new URL(`${state.name}.txt`, FOLDER);
    const text = shown(state);
    if (process.argv[2] === 'write') {
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(file, text);
    } else if (!existsSync(file) || readFileSync(file, 'utf8').replaceAll('\r\n', '\n') !== text) {
        wrong.push(`${state.name}\n${text}`);
    }
}
console.log(wrong.length === 0 ? 'all as committed' : `different: ${wrong.join('\n')}`);
