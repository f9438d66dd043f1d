#!/bin/bash
# Characters that would move the cursor, turn others around or not be seen: shown by their numbers on a
# terminal in every format, in tables, stacks, the page and drawings; exact in CSV and JSON elsewhere.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 1
export PAGER=cat HOME=$TEST_TMP
small_database run.db
name=$'\e[31mred\u202etxt.exe\u200b\u0085\u2066end'
sqlite3 run.db "UPDATE functions SET name = char(27) || '[31mred' || char(8238) || 'txt.exe' || char(8203, 133, 8294) || 'end' WHERE id = 2;
    UPDATE threads SET name = char(27) || '[2J' || char(8238) || 'w' WHERE id = 2;
    UPDATE files SET name = char(8238) || 'c.niam', path = '/src/' || char(8238) || 'c.niam' WHERE id = 2;
    UPDATE run SET value = 'sh' || char(8238, 27) || '[H' WHERE key = 'run_id';
    INSERT INTO run VALUES ('command', 'shop ' || char(8238, 155) || 'x');
    INSERT INTO losses(reason, detail) VALUES ('damaged' || char(8238), char(27) || ']0;x')"
shown='\x1b[31mred<U+202E>txt.exe<U+200B><U+0085><U+2066>end'
hidden='[\x{1b}\x{80}-\x{9f}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}]'
none() { # WHAT FILE: no such character in it, whatever the lines end with
    same "$1: none goes through" "" "$(grep -nP "$hidden" "$2" | head -n 2)"
}
on_terminal() { # COMMAND...: its output in the file `seen`, colours and other codes of our own off
    NO_COLOR=1 TERM=dumb COLUMNS=2000 script -qec "$(printf '%q ' "$@")" /dev/null </dev/null >seen 2>&1
}

for format in table csv json markdown; do
    on_terminal "$fisql" query callers --format $format run.db
    none "query --format $format on a terminal" seen
    grep -q 'txt\.exe' seen
    report $? "query --format $format on a terminal: the rest of the name is there"
done
on_terminal "$fisql" query callers --format csv run.db
has "CSV on a terminal shows it as tables do" "$shown" "$(cat seen)"
"$fisql" query callers --format csv run.db >callers.csv 2>words
has "CSV in a file has the exact text" "$name" "$(cat callers.csv)"
none "the words beside it" words
"$fisql" query callers --format json run.db >callers.json 2>/dev/null
none "JSON in a file" callers.json
same "and is exact when it is read" 1 "$(jq -r '.[].function' callers.json | grep -cxF "$name")"
same "a NUL in text is in CSV and JSON too, and seen in tables" 'a\0b|a\u0000b|a\x00b' "$(
    echo "SELECT CAST(x'610062' AS TEXT) AS t" >nul.sql
    "$fisql" query --file nul.sql --format csv run.db 2>/dev/null | sed -n 2p | tr -d '\r' | sed 's/\x00/\\0/'
    )|$("$fisql" query --file nul.sql --format json run.db 2>/dev/null | grep -o 'a\\u0000b')|$(
    "$fisql" query --file nul.sql run.db 2>/dev/null | sed -n 3p)"
for command in "query callers" "query --all" "query --all --format markdown" info "stack 4" "stack 10" trace "trace --demangle full" tree \
    "tree --demangle full" review "diff run.db" "diff --tree --all run.db" "diff --first-divergence run.db" \
    "export --format folded" "export --format callgrind" "export --format dot" "export --format mermaid" \
    "export --format chrome" "export --format speedscope"; do
    # shellcheck disable=SC2086 # words of a command
    "$fisql" $command run.db >seen 2>words
    none "$command" seen
    none "$command, its words" words
done
"$fisql" review run.db --picture x.svg >/dev/null 2>&1
none "the picture of a review" x.svg
run "$fisql" export --format chrome --function "$name"x run.db
has "a name in an error is shown as well" "$shown" "$err"
run "$fisql" info "$name"
has "and a file's" "$shown" "$err"
"$fisql" export --format chrome run.db >chrome.json 2>/dev/null
has "JSON for viewers is exact" "$name" "$(jq -r '.traceEvents[].name' chrome.json)"
if page_built "the report's data"; then
    "$fisql" report run.db -o - 2>/dev/null | sed -n '/id="data"/,/<\/script>/p' >data.html
    none "the report's data" data.html
fi
export PYTHONDONTWRITEBYTECODE=1
python3 - "$here" <<'P'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/corrupt")
from log import *
name = "\u202ea\u200b\x9b".encode() + b"\xe2"
one = define(1, 0x10010, 0x10020) + enter(1) + leave()
open("x.bin", "wb").write(preamble(module=b"/" + name) + chunk(THREAD, facts(name=name)) + events(one, 1))
P
"$fisql" dump x.bin >seen
none "dump" seen
has "dump shows it" 'name = <U+202E>a<U+200B>\x9b\xe2' "$(sed 's/<U+009B>/\\x9b/; s/name=/name = /' seen)"
"$fisql" load x.bin 2>words
none "load's words" words

# The page's list is ours: all characters through both.
if ! command -v node >/dev/null; then
    echo "# skipped: the page's list needs node"
    exit 0
fi
cat >all.sql <<'S'
WITH RECURSIVE n(i) AS (SELECT 128 UNION ALL SELECT i + 1 FROM n WHERE i < 1114111)
SELECT i, 'x' || char(i) AS c FROM n WHERE i NOT BETWEEN 55296 AND 57343 AND (i < 131072 OR i BETWEEN 917000 AND 925000)
S
"$fisql" query --file all.sql --format markdown run.db 2>/dev/null | sed -n 's/^| *\([0-9]*\) | x\\<U+.*/\1/p' >ours
cp "$here/page/format.js" format.mjs
node --input-type=module -e "
import { visible } from './format.mjs';
for (let i = 128; i < 0x110000; i++)
  if ((i < 0xd800 || i > 0xdfff) && (i < 131072 || (i >= 917000 && i <= 925000)) && visible(String.fromCodePoint(i)).startsWith('<U+'))
    console.log(i);" >theirs
same "the page hides the same characters" "$(sum <theirs) yes" "$(sum <ours) $([ "$(wc -l <ours)" -gt 4000 ] && echo yes)"
