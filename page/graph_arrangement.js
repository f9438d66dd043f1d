// How the user arranged the call graph: for each kind of box the places of pinned boxes and the groups that are collapsed.
// The browser keeps it by run, for the runs that were arranged last. What it gives back is checked: a page from elsewhere
// may have written it. Where it keeps nothing (private windows, pages without an origin), it holds until the page is closed.
const ITEM = 'fisql-graphs';
const RUNS_MAX = 40, ENTRIES_MAX = 400, KEY_MAX = 400;
export const PLACE_MAX = 8000; // px, of a box's middle

const isKey = (key) => typeof key === 'string' && key.length <= KEY_MAX;
const isPlace = (place) => Array.isArray(place) && place.length === 2 && place.every((one) => Number.isFinite(one) && one >= 0 && one <= PLACE_MAX);
const list = (value) => (Array.isArray(value) ? value.slice(0, ENTRIES_MAX) : []);

function stored() {
  try {
    return list(JSON.parse(localStorage.getItem(ITEM))).filter((one) => one && typeof one.run === 'string').slice(0, RUNS_MAX);
  } catch {
    return [];
  }
}

export class Arrangement {
  constructor(run, kinds) {
    this.run = run ? String(run) : null; // null: no run to keep it for
    const known = (this.run && stored().find((one) => one.run === this.run)) || {};
    this.kind = kinds.includes(known.kind) ? known.kind : null; // that was looked at last
    this.byKind = {};
    for (const kind of kinds) {
      const one = (known.byKind && Object.hasOwn(known.byKind, kind) && known.byKind[kind]) || {};
      this.byKind[kind] = {
        places: new Map(list(one.places).filter((entry) => Array.isArray(entry) && isKey(entry[0]) && isPlace(entry[1]))),
        collapsed: new Set(list(one.collapsed).filter(isKey)),
      };
    }
  }

  of(kind) {
    return this.byKind[kind];
  }

  // Returns whether the browser keeps it.
  save() {
    if (!this.run) return false;
    const byKind = {};
    for (const [kind, { places, collapsed }] of Object.entries(this.byKind)) {
      byKind[kind] = { places: [...places].slice(-ENTRIES_MAX), collapsed: [...collapsed].slice(-ENTRIES_MAX) };
    }
    try {
      const others = stored().filter((one) => one.run !== this.run);
      localStorage.setItem(ITEM, JSON.stringify([{ run: this.run, kind: this.kind, byKind }, ...others].slice(0, RUNS_MAX)));
      return true;
    } catch {
      return false;
    }
  }
}
