#!/bin/bash
# Exports read by the programs that they are for: pprof by `go tool pprof`, speedscope against its published
# schema, Mermaid by Mermaid itself in Chromium. (callgrind and dot are in tests/e2e/export.sh.)
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2

for need in go npm node chromium; do
    command -v $need >/dev/null || { not_ok "$need is there: run tests/setup real"; exit 0; }
done
npm init -y >/dev/null 2>&1 && npm install --silent speedscope@1.25.0 mermaid@11.4.1 >npm.log 2>&1
report $? "npm brings speedscope's schema and Mermaid" "$(tail -n 5 npm.log)"

cat >shapes.cc <<'C'
#include <functional>
#include <string>
#include <thread>
#include <vector>
template <typename T, int N> static T repeat(T value) { T sum{}; for (int i = 0; i < N; i++) sum += value; return sum; }
struct Quote { std::string text = "a \"quoted\"; [name]"; ~Quote() { text.clear(); } };
static void nest(int n) { if (n > 0) nest(n - 1); else { Quote quote; } }
int main()
{
    auto twice = [](int n) { return repeat<int, 2>(n); };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&] { for (int k = 0; k < 500; k++) { nest(k % 7); twice(k); repeat<std::string, 3>("ab"); } });
    for (auto &thread : threads) thread.join();
}
C
build g++ shapes -O0 -g -std=c++17 -pthread shapes.cc
"$fisql" record -q ./shapes
"$fisql" load -q run.bin
calls=$(sql run.db 'SELECT sum(calls) FROM threads')
bytes=$(sql run.db 'SELECT sum(alloc_bytes) FROM frames')

"$fisql" export --format pprof -o run.pprof
for index in "calls $calls" "bytes $bytes"; do
    out=$(HOME=$TEST_TMP go tool pprof -symbolize=none -raw -unit=minimum run.pprof 2>&1)
    kind=${index% *}
    same "go tool pprof: the sum of $kind is the database's" "${index#* }" "$(awk -v kind="$kind" '
        /^Samples:/ { getline; for (i = 1; i <= NF; i++) { split($i, part, "/"); if (part[1] ~ kind || part[2] == kind) column = i } next }
        /^Locations/ { exit }
        column && /^ *[0-9]/ { line = $0; sub(/:.*/, "", line); split(line, value, " "); sum += value[column] }
        END { printf "%d", sum }' <<<"$out")"
done
out=$(HOME=$TEST_TMP go tool pprof -symbolize=none -top -sample_index=calls run.pprof 2>&1)
has "go tool pprof: it names functions" "repeat<std::string, 3>" "$out"

"$fisql" export --format speedscope -o run.speedscope.json
same "speedscope: valid by its published schema" "" "$(/usr/bin/python3 -W ignore -c '
import json, jsonschema
schema = json.load(open("node_modules/speedscope/dist/release/file-format-schema.json"))
jsonschema.validate(json.load(open("run.speedscope.json")), schema)' 2>&1 | tail -n 5)"

"$fisql" export --format mermaid -o run.mmd
python3 - <<'PY'
import json
text = open("run.mmd").read()
open("mermaid.html", "w").write("""<!doctype html><meta charset=utf-8><title>m</title>
<script src="node_modules/mermaid/dist/mermaid.min.js"></script><body><div id=out></div><script>
mermaid.initialize({startOnLoad: false, maxTextSize: 1e7, maxEdges: 1e5});
mermaid.render('drawing', %s).then(({svg}) => {
  document.getElementById('out').innerHTML = svg; document.documentElement.dataset.ready = '1';
}, problem => { document.body.textContent = 'mermaid: ' + problem; document.documentElement.dataset.ready = '1'; });
</script>""" % json.dumps(text).replace("</", "<\\/"))
PY
node "$here/tests/report/opens.mjs" --foreign "$PWD/mermaid.html" "Mermaid draws its export" \
    "document.querySelectorAll('.node').length >= 5" "document.body.textContent.includes('repeat<std::string, 3>')"
