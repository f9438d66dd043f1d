// The official SDK as a client of `fisql mcp`: sdk.mjs MODULES FISQL A.db B.db
// MODULES: the node_modules with @modelcontextprotocol/client, which checks each answer against the protocol's schema.
import { createRequire } from 'node:module';

const [modules, fisql, a, b] = process.argv.slice(2);
const require = createRequire(modules + '/here.js');
const { Client } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');

const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n';

function check(condition, what, detail) {
    console.log(`${condition ? 'ok' : 'not ok'} - ${what}`);
    if (!condition && detail !== undefined)
        console.log('    ' + JSON.stringify(detail).slice(0, 2000));
}

const text = (result) => result.content[0].text;

// The error of a call that has to fail.
async function failure(promise) {
    try {
        return { result: await promise };
    } catch (error) {
        return error;
    }
}

async function session(what, options, revision) {
    const client = new Client({ name: 'fisql-tests', version: '1.0.0' }, options);
    const errors = [];
    client.onerror = (error) => errors.push(String(error));
    const transport = new StdioClientTransport({ command: fisql, args: ['mcp', a, b], stderr: 'pipe' });
    await client.connect(transport);
    const negotiated = client.getNegotiatedProtocolVersion();
    check(negotiated === revision, `${what}: the revision is ${revision}`, negotiated);
    check(client.getServerCapabilities().tools && client.getServerCapabilities().resources, `${what}: there are tools and resources`);
    const { tools } = await client.listTools();
    check(tools.length === 9 && tools.every((tool) => tool.inputSchema.type === 'object' && tool.annotations.readOnlyHint),
        `${what}: nine tools, which only read`, tools.map((tool) => tool.name));
    const used = {
        digest: {}, queries: {}, query: { name: 'hot-functions', limit: 3 }, sql: { sql: 'SELECT count(*) AS n FROM calls' },
        tree: { depth: 3 }, call: { id: 5 }, source: { function: 'main' }, runs: {}, diff: { before: a, after: b },
    };
    for (const tool of tools) {
        const result = await client.callTool({ name: tool.name, arguments: used[tool.name] });
        check(!result.isError && text(result).length > 20, `${what}: ${tool.name} is answered`, result);
    }
    const rows = JSON.parse(text(await client.callTool({ name: 'query', arguments: used.query }))).rows;
    check(rows.length === 3 && rows[0].self_cpu_ns >= rows[1].self_cpu_ns, `${what}: rows are JSON`, rows);
    check((await client.callTool({ name: 'sql', arguments: { sql: 'DELETE FROM calls' } })).isError === true, `${what}: a tool's error is a result`);
    const unknown = await failure(client.callTool({ name: 'nothing', arguments: {} }));
    check(unknown.code === -32602, `${what}: an unknown tool is an error of the protocol`, unknown);
    const { resources } = await client.listResources();
    check(resources.length > 60, `${what}: resources are listed`, resources.length);
    const { resourceTemplates } = await client.listResourceTemplates();
    check(resourceTemplates.length === 2, `${what}: so are their templates`);
    const { contents } = await client.readResource({ uri: 'fisql://query/callers' });
    check(contents[0].mimeType === 'text/markdown' && contents[0].text.includes('### callers'), `${what}: a manual is read`, contents);
    const missing = await failure(client.readResource({ uri: 'fisql://nothing' }));
    check(missing.code === (revision === '2026-07-28' ? -32602 : -32002), `${what}: a resource that is not there is an error`, missing);
    const stop = new AbortController();
    setTimeout(() => stop.abort('enough'), 500);
    const begun = Date.now();
    const cancelled = await failure(client.callTool({ name: 'sql', arguments: { sql: endless } }, { signal: stop.signal }));
    check(cancelled.result === undefined, `${what}: a call is cancelled`, cancelled);
    const after = await client.callTool({ name: 'sql', arguments: { sql: 'SELECT 1 AS one' } });
    check(JSON.parse(text(after)).rows[0].one === 1 && Date.now() - begun < 20000, `${what}: and the next one is answered, ${Date.now() - begun} ms later`);
    await client.close();
    check(errors.length === 0, `${what}: the client saw nothing wrong`, errors);
}

await session('2026-07-28', { versionNegotiation: { mode: 'auto' } }, '2026-07-28');
await session('2025-11-25', { versionNegotiation: { mode: 'legacy' } }, '2025-11-25');
