#!/bin/bash
# fisql mcp: a plain client sends what the protocol allows and what it does not (tests/mcp/protocol.py), compares each
# tool with the command and the tables that it stands for (tools.py), records (record.py); the official client speaks
# both revisions with it (sdk.mjs). docs/agents.md is what docs/make-agents.py makes, but for figures of time.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export PYTHONDONTWRITEBYTECODE=1 XDG_CONFIG_HOME=$TEST_TMP/config

cp "$here/examples/wordstat.c" .
build gcc wordstat -O1 -g wordstat.c
"$fisql" record -q ./wordstat >/dev/null && "$fisql" load -q run.bin
report $? "a run is recorded"
"$fisql" record -q --values -o other.bin ./wordstat >/dev/null && "$fisql" load -q other.bin
report $? "and another one with values"

python3 "$here/tests/mcp/tools.py" "$fisql" run.db other.db wordstat.c || not_ok "the tools' checks run to their end"
python3 "$here/tests/mcp/protocol.py" "$fisql" run.db || not_ok "the protocol's checks run to their end"
mkdir recording && cp wordstat recording
(cd recording && python3 "$here/tests/mcp/record.py" "$fisql") || not_ok "the checks of record run to their end"

if [ -d "$sources/mcp/node_modules" ] && [ "$(node -p 'process.versions.node.split(".")[0] >= 20' 2>/dev/null)" = true ]; then
    node "$here/tests/mcp/sdk.mjs" "$sources/mcp/node_modules" "$fisql" run.db other.db || not_ok "the official client's checks run to their end"
else
    echo "skipped - fisql mcp with the official client: it is missing (tests/setup check installs it from npm, with node 20)"
fi

# A log, a page or a pipe in place of a database; standard output that is closed.
for file in run.bin wordstat.c /dev/null; do
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}' \
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"digest"}}' | "$fisql" mcp "$file" >out 2>err
    same "$file is no database: the tool says so" "0 2 true" "$? $(wc -l <out) $(tail -n 1 out | grep -o '"isError":[a-z]*' | cut -d: -f2)"
    same "$file: nothing is said on standard error" "" "$(cat err)"
done
"$fisql" mcp run.db </dev/null >out 2>err
same "without input it ends at once, and says nothing" "0 0 0" "$? $(wc -c <out) $(wc -c <err)"
run "$fisql" mcp --max-bytes 100
has "an answer has room for a tool's description" "wants a size from 8K to 64M" "$err"
run "$fisql" mcp --max-time 2h
has "a request has an end" "wants a time from 1ms to 60min" "$err"

# The page, but for figures: times differ from run to run, which functions' times have changed, and which of a loop and what
# it calls takes more.
figures() {
    sed -E '/^ *\{"function": .*"change": /d; s/"change": "[^"]*"/"change": C/; s/"notes":\[.*\]/"notes":N/; s/"(raw_)?started":"[^"]*"/S/; s/, [0-9.]+ .?s put aside//; s/ ± [0-9.]+ .?s//
            s/[~>]?[0-9][0-9.]*( (ns|us|ms|s)\b|%)?/N/g; s/ +/ /g; s/^ CPU time N N .*/ CPU time N N F/'
}
if "$here/docs/make-agents.py" "$fisql" >agents.md 2>err; then
    figures <"$here/docs/agents.md" >was
    figures <agents.md >is
    same "docs/agents.md is not stale (make agents)" "" "$(diff was is | head -n 20)"
else
    not_ok "docs/agents.md can be made: $(cat err)"
fi
