// The switch between own code, in which libraries and the system count as part of their callers, and
// all code. It is there where the run has both.
import { el } from './dom.js';

export function startCodeSwitch(models) {
  const theme = document.getElementById('theme');
  if (!models.some((model) => model.hasLibraries)) return;
  const button = el('button', { id: 'code', type: 'button', onclick: () => {
    const all = !models[0].allCode;
    for (const model of models) model.setAllCode(all);
    for (const model of models) model.tellCode();
    say();
  } });
  const say = () => {
    const { allCode } = models[0];
    button.textContent = allCode ? 'All code' : 'Own code';
    button.setAttribute('aria-pressed', String(allCode));
    button.title = allCode ? 'Shown is all code; show your own alone, with libraries as part of it'
      : 'Shown is your own code, with libraries as part of it; show all code';
  };
  say();
  theme.before(button);
}
