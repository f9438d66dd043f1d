// The report page: reads the data from the page and puts up the sections of one run, or of two.
import { diff } from './diff.js';
import { el, replace } from './dom.js';
import { oneRun } from './one_run.js';
import { startTheme } from './shell.js';

try {
  startTheme();
  const data = JSON.parse(document.getElementById('data').textContent);
  if (data.changes) diff(data);
  else oneRun(data);
} catch (error) {
  replace(document.getElementById('main'), el('p', { class: 'incomplete' },
    `This page could not be drawn: ${error.message}. Please make it again with fisql report.`));
  throw error;
}
