#!/bin/bash
# fisql report --diff: two builds of a program side by side, in headless Chromium (tests/report/diff.mjs).
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

page_built "the page of two runs" || exit 0
for need in node chromium; do
    command -v "$need" >/dev/null || { not_ok "$need is there: run tests/setup check"; exit 0; }
done

cat >program.c <<'C'
#include <stdlib.h>
volatile int sink;
void *volatile kept;
void alike(void)
{
    sink++;
}
void busier(void)
{
    sink--;
}
void slower(void)
{
    for (int i = 0; i < WORK; i++)
        sink += i;
}
void hungry(void)
{
    kept = malloc(SIZE);
    free(kept);
}
#ifdef AFTER
void added(void)
{
    sink += 2;
}
#else
void removed(void)
{
    sink += 3;
}
#endif
int main(void)
{
    for (int i = 0; i < 20; i++)
        alike();
    for (int i = 0; i < TIMES; i++)
        busier();
    for (int i = 0; i < 400; i++)
        slower();
    hungry();
#ifdef AFTER
    for (int i = 0; i < 7; i++)
        added();
#else
    for (int i = 0; i < 5; i++)
        removed();
#endif
    return 0;
}
C
mkdir before after
build gcc before/program -O1 -g -DWORK=300 -DSIZE=100 -DTIMES=10 program.c
build gcc after/program -O1 -g -DAFTER -DWORK=3000 -DSIZE=900 -DTIMES=30 program.c
for run in before after; do
    "$fisql" record -o "$run.bin" "$run/program" >/dev/null 2>&1
    "$fisql" load "$run.bin" 2>/dev/null
done
run "$fisql" report --diff before.db after.db -o diff.html
same "report --diff: exit status" 0 "$status"
node "$here/tests/report/diff.mjs" "$PWD/diff.html" || not_ok "the page's checks run to their end"

# The same run twice: nothing is red.
"$fisql" report --diff before.db before.db -o same.html 2>/dev/null
node "$here/tests/report/opens.mjs" "$PWD/same.html" "a run with itself" "[...document.querySelectorAll('.differs')].every((one) => one.textContent === '')" \
    "document.querySelector('#summary').textContent.includes('No function differs.')" \
    "document.querySelector('#summary').textContent.includes('found the same in both')"

# Two wide runs share the budgets.
sqlite3 wide.db <"$here/schema.sql"
sqlite3 wide.db <"$here/tests/report/wide.sql"
run "$fisql" report --diff wide.db before.db -o wide.html
same "report --diff of a wide run: exit status" 0 "$status"
cp wide.db wider.db
sql wider.db "UPDATE function_stats SET calls = calls + 1"
"$fisql" report --diff wide.db wider.db -o wide.html 2>/dev/null
node "$here/tests/report/opens.mjs" "$PWD/wide.html" "two wide runs" "document.querySelectorAll('.left-out').length >= 4"

run "$fisql" report --diff before.db
same "report --diff of one database: exit status" 2 "$status"
has "report --diff of one database: says what is wanted" "wants two databases" "$err"
run "$fisql" report --diff before.db missing.db
has "report --diff: a missing database" "missing.db" "$err"
mkdir 'odd ?&#%27 folder'
cp after.db 'odd ?&#%27 folder/a b.db'
run "$fisql" report --diff before.db 'odd ?&#%27 folder/a b.db' -o odd.html
same "report --diff: a path with odd characters" 0 "$status"

# The page decides as fisql diff does.
"$fisql" diff before.db after.db --all --format csv >diff.csv
same "report --diff: says what fisql diff says" "$(python3 -c '
import csv
print(sorted((row["function"], row["change"]) for row in csv.DictReader(open("diff.csv"))))')" "$(node "$here/tests/report/states.mjs" "$PWD/diff.html")"
