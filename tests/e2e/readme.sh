#!/bin/bash
# README.md, docs/tour.md, docs/values.md, docs/whatif.md and docs/history.md tell the truth: their commands run as they stand and print what is shown, up
# to numbers; the files and targets that they name are there. UPDATE=1 rewrites the output in the latter four.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
PATH=$FISQL_BUILD:$PATH
archive=$sources/lua5.4/lua5.4_5.4.4.orig.tar.gz
[ -e "$archive" ] || { not_ok "Lua's source is there: run tests/setup"; exit 0; }
cp "$archive" "$here/tests/fixtures/words.lua" .
python3 "$here/tests/e2e/readme.py" "$here/docs/tour.md"
cp "$here/docs/examples/till.c" .
python3 "$here/tests/e2e/readme.py" "$here/docs/values.md"
# what if: two threads that do not get in each other's way
cp "$here/docs/examples/parcels.c" .
python3 "$here/tests/e2e/readme.py" "$here/docs/whatif.md"
cp "$here/docs/examples/till_box.c" .
python3 "$here/tests/e2e/readme.py" "$here/docs/history.md"

# the first lines, for any program and for one that is built with hooks, run as they stand
cat >app.c <<'C'
#include <stdlib.h>
int main(void) { free(malloc(10)); return 0; }
C
git init -q . && git add app.c && git -c user.name=a -c user.email=a@b commit -qm "A program"
grep -nE '^    fisql (cc|run|query|tree) ' "$here/README.md" >own
same "any program takes three lines, one with hooks two more" 5 "$(wc -l <own)"
at_least "they stand at the beginning, by line 30" 0 "$((30 - $(tail -n 1 own | cut -d: -f1)))"
while IFS=: read -r _ line; do
    run bash -c "$line"
    same "README: ${line#"${line%%[! ]*}"}" 0 "$status"
done <own
run "$FISQL_BUILD/fisql" tree
has "and answer" "main " "$out"

# arguments and results: the section's commands run as they stand, and print what it shows, but for times
cp "$here/examples/gcd.c" .
sed -n '/^## What was passed/,/^## /p' "$here/README.md" | sed -n 's/^    //p' >section
without_times() { sed -E 's/^ *[0-9.]+ [nm]?u?s +[0-9.]+ [nm]?u?s +//'; }
grep '^\$ ' section | cut -c 3- >commands
same "README: arguments and results take four commands" 4 "$(wc -l <commands)"
while read -r line; do
    run bash -c "$line"
    same "README: $line" 0 "$status"
done <commands
same "README: the last one prints what it shows" "$(grep -v '^\$ ' section | without_times)" "$(without_times <<<"$out")"
has "which are arguments and a result" "gcd(x=12, y=18) = 6" "$out"

# README's figures of other tools are those that `make bench-others` wrote
sed -n '/^## Beside others/,/^## /p' "$here/docs/performance.md" >figures
for tool in perf uftrace heaptrack callgrind fisql; do
    has "README: as long as with $tool" "$(awk -F ' *[|] *' -v tool="$tool" '$2 == tool { print $4 " times as long" }' figures)" \
        "$(grep -E "^\| (\*\*)?$tool(\*\*)? \|" "$here/README.md")"
done

cd "$here" || exit 2
for page in README.md CONTRIBUTING.md docs/*.md docs/decisions/*.md; do
    folder=$(dirname "$here/$page")
    missing=$(grep -o '[^[]](\([^)#]*\)' "$here/$page" | sed 's/^.](//' | grep -v '^http' | while read -r link; do
        [ -e "$folder/$link" ] || echo "$link"
    done)
    same "$page: its links lead somewhere" "" "$missing"
    missing=$(grep -o '`make [a-z][a-z0-9-]*' "$here/$page" | sed 's/`make //' | sort -u | while read -r target; do
        grep -q "^$target:" "$here/Makefile" "$here"/mk/*.mk || echo "$target"
    done)
    same "$page: the make targets that it names exist" "" "$missing"
    missing=$(grep -oE '`(collector|loader|cli|queries|tests|docs)/[a-z_/.-]*[a-z]`' "$here/$page" | tr -d '`' | sort -u | while read -r file; do
        [ -e "$here/$file" ] || echo "$file"
    done)
    same "$page: the files that it names exist" "" "$missing"
done

for page in README.md:119 docs/ARCHITECTURE.md:199; do
    at_least "${page%:*} has at most ${page#*:} lines" "$(wc -l <"${page%:*}")" "${page#*:}"
done
same "the glossary has 33 words" 33 "$(grep '^| [a-z]' docs/glossary.md | grep -cv '^| word ')"
for page in README.md docs/ARCHITECTURE.md CONTRIBUTING.md; do
    has "$page names the glossary" "glossary.md" "$(cat $page)"
done
