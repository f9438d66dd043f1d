// The editor of the console: CodeMirror 6. It stands in a shadow root: there CodeMirror puts its styles into constructed
// style sheets, which the page's Content-Security-Policy allows, not into style elements, which it refuses.
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { sql, SQLite } from '@codemirror/lang-sql';
import { bracketMatching, defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { isDark, onTheme } from './dom.js';

const darkStyle = HighlightStyle.define([
  { tag: tags.keyword, color: '#c79bff' }, { tag: [tags.string, tags.special(tags.string)], color: '#9fd88f' },
  { tag: [tags.number, tags.bool, tags.null], color: '#ffb86b' }, { tag: tags.comment, color: '#9ba5b7', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: '#6db3ff' }, { tag: tags.operator, color: '#e4e8f0' },
]);

const looks = () => [EditorView.theme({
  '&': { backgroundColor: 'var(--panel)', color: 'var(--text)', fontSize: '13px' },
  '.cm-content': { fontFamily: 'ui-monospace, "DejaVu Sans Mono", monospace', caretColor: 'var(--text)', minHeight: '130px' },
  '.cm-gutters': { backgroundColor: 'var(--back)', color: 'var(--quiet)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-scroller': { maxHeight: '420px', overflow: 'auto' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line)' },
}, { dark: isDark() }), syntaxHighlighting(isDark() ? darkStyle : defaultHighlightStyle)];

// names: of functions, offered within quotes. Returns {get, set, complete(tables)}.
export function makeEditor(holder, { text, run, names }) {
  const root = holder.attachShadow({ mode: 'open' });
  const language = new Compartment(), theme = new Compartment();
  const functionNames = (context) => {
    const word = context.matchBefore(/'[^'\n]*/);
    if (!word) return null;
    return { from: word.from + 1, options: names.slice(0, 5000).map((name) => ({ label: name.replaceAll("'", "''"), type: 'function' })), validFor: /^[^'\n]*$/ };
  };
  const speaks = (schema) => [sql({ dialect: SQLite, schema, upperCaseKeywords: true }), SQLite.language.data.of({ autocomplete: functionNames })];
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([{ key: 'Ctrl-Enter', mac: 'Cmd-Enter', run: () => { run(); return true; } }]),
        lineNumbers(), highlightSpecialChars(), history(), drawSelection(), bracketMatching(), autocompletion(), EditorView.lineWrapping,
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]), language.of(speaks({})), theme.of(looks()),
        EditorView.contentAttributes.of({ 'aria-label': 'SQL', spellcheck: 'false' }),
      ],
    }),
  });
  onTheme(() => view.dispatch({ effects: theme.reconfigure(looks()) }));
  return {
    view,
    get: () => view.state.doc.toString(),
    set: (value) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } }),
    complete: (schema) => view.dispatch({ effects: language.reconfigure(speaks(schema)) }),
  };
}
