// Asks the server (docs/api.md). A failed answer is an Error with the server's words.

async function failure(response) {
  try {
    return new Error((await response.json()).error);
  } catch {
    return new Error(`the server answers ${response.status}`);
  }
}

export class Server {
  constructor(db) {
    this.db = db;
  }

  address(path, parameters = {}) {
    const all = new URLSearchParams({ db: this.db });
    for (const [name, value] of Object.entries(parameters)) if (value !== null && value !== undefined && value !== '') all.set(name, value);
    return `/api/${path}?${all}`;
  }

  async ask(path, parameters, options = {}) {
    const response = await fetch(this.address(path, parameters), options).catch((error) => {
      throw error.name === 'AbortError' ? error : new Error('the server does not answer: has fisql serve ended?');
    });
    if (!response.ok) throw await failure(response);
    return response;
  }

  async get(path, parameters, signal) {
    return (await this.ask(path, parameters, { signal })).json();
  }

  // {rows, notes} of a canned query; notes: what `fisql query` says besides.
  async query(name, parameters, signal) {
    const response = await this.ask(`query/${encodeURIComponent(name)}`, parameters, { signal });
    return { rows: await response.json(), notes: decodeURIComponent(response.headers.get('X-Fisql-Notes') || '').replaceAll('fisql: ', '') };
  }

  async sql(sql, { limit, seconds, signal }) {
    const body = JSON.stringify({ sql, limit, seconds });
    return (await this.ask('sql', {}, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal })).json();
  }
}
