// The switch for the Chinese beside the terms. It is off until a reader turns it on, and the browser remembers it. The head
// of the page reads what is remembered before anything is drawn (head.hbs), and the styles do the rest: without this script
// the Chinese is in the glossary only.
'use strict';

(function chinese() {
    const KEY = 'lanes-chinese';
    const root = document.documentElement;
    const buttons = document.querySelector('#mdbook-menu-bar .left-buttons');
    if (buttons === null) { return; }

    const button = document.createElement('button');
    button.type = 'button';
    button.id = 'chinese-toggle';
    button.className = 'icon-button';
    button.setAttribute('aria-label', 'Chinese terms');
    const sign = document.createElement('span');
    sign.lang = 'zh';
    sign.textContent = '中';
    sign.setAttribute('aria-hidden', 'true');
    button.append(sign);

    function tell() {
        const isOn = root.classList.contains('chinese');
        button.setAttribute('aria-pressed', String(isOn));
        button.title = isOn ? 'Hide the Chinese terms' : 'Show the Chinese terms';
    }

    button.addEventListener('click', () => {
        const isOn = root.classList.toggle('chinese');
        try { localStorage.setItem(KEY, isOn ? 'on' : 'off'); } catch { /* then it holds for this page */ }
        tell();
    });
    tell();
    buttons.append(button);
})();
