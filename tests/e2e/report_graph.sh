#!/bin/bash
# The page's call graph: its three kinds of boxes, and that it can be arranged and remembers, in headless Chromium
# (tests/report/graph.mjs).
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
source=$programs/modules

page_built "the page" || exit 0
for need in node chromium; do
    command -v "$need" >/dev/null || { not_ok "$need is there: run tests/setup check"; exit 0; }
done

build gcc libpack.so -g -shared -fPIC "$source/pack.c"
build gcc parts -g "$source/main.c" "$source/net/http.c" "$source/db/store.c" ./libpack.so -Wl,-rpath,"$TEST_TMP"
"$fisql" record ./parts 10 >/dev/null 2>&1
"$fisql" load run.bin 2>/dev/null
printf 'web: fn:http_*\nnetwork: net/*\nstorage: db/*.c, lib:libpack*\n' >map
"$fisql" modules run.db --map map >/dev/null 2>&1
"$fisql" report run.db 2>/dev/null
sqlite3 wide.db <"$here/schema.sql"
sqlite3 wide.db <"$here/tests/report/wide.sql" >/dev/null
"$fisql" report wide.db -o wide.html 2>/dev/null

# What the databases say, for the browser's checks.
cat >expected.sql <<'Q'
CREATE TEMP VIEW called AS
  SELECT d.*, files.name AS file_name, s.calls FROM function_stats s JOIN function_details d ON d.id = s.function_id JOIN files ON files.id = d.file_id;
CREATE TEMP VIEW boxes(name, hides, file_name, module) AS -- with what is collapsed to its file or module
  SELECT name, '', file_name, module FROM called UNION ALL SELECT DISTINCT file_name, 'file', file_name, '' FROM called
  UNION ALL SELECT DISTINCT module, 'module', '', module FROM called;
SELECT json_object(
  'run', (SELECT value FROM run WHERE key = 'run_id'),
  'requests', 10, 'intoStore', (SELECT sum(e.calls) FROM edges e JOIN called a ON a.id = e.caller_id JOIN called b ON b.id = e.callee_id
     WHERE a.name = 'http_serve' AND b.file_name = 'store.c'),
  'modules', (SELECT json_group_array(module) FROM (SELECT DISTINCT module FROM called ORDER BY module)),
  'files', (SELECT json_group_array(file_name) FROM (SELECT DISTINCT file_name FROM called ORDER BY file_name)),
  'functions', (SELECT json_group_array(name) FROM (SELECT name FROM called ORDER BY name)),
  'storage', (SELECT json_group_array(name) FROM (SELECT name FROM called WHERE module = 'storage' ORDER BY name)),
  'withoutStore', (SELECT json_group_array(name) FROM (SELECT name FROM boxes
     WHERE hides = '' AND file_name <> 'store.c' OR hides = 'file' AND name = 'store.c' ORDER BY name)),
  'withoutMain', (SELECT json_group_array(name) FROM (SELECT name FROM boxes
     WHERE hides = '' AND file_name <> 'main.c' OR hides = 'file' AND name = 'main.c' ORDER BY name)),
  'withoutParts', (SELECT json_group_array(name) FROM (SELECT name FROM boxes
     WHERE hides = '' AND module <> 'parts' OR hides = 'module' AND name = 'parts' ORDER BY name)),
  'lines', (SELECT json_group_array(line) FROM (SELECT a.name || ' calls ' || b.name || ': ' || sum(e.calls) AS line
     FROM edges e JOIN called a ON a.id = e.caller_id JOIN called b ON b.id = e.callee_id GROUP BY a.id, b.id ORDER BY line)),
  'sums', (SELECT json_group_array(json_object('name', name, 'functions', functions, 'calls', calls)) FROM (
     SELECT file_name AS name, count(*) AS functions, sum(calls) AS calls FROM called GROUP BY file_name
     UNION ALL SELECT module, count(*), sum(calls) FROM called GROUP BY module)),
  'wide', CAST(:wide AS INTEGER));
Q
wide=$(sql wide.db 'SELECT count(*) FROM function_stats')
sqlite3 -cmd ".parameter set :wide $wide" run.db <expected.sql >expected.json
node "$here/tests/report/graph.mjs" "$PWD/report.html" expected.json "$PWD/wide.html" || not_ok "the call graph's checks run to their end"
