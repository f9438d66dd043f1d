#!/bin/bash
# Hostile databases (tests/corrupt/databases.py): every command that reads a database ends by itself on each,
# says what is wrong where it cannot go on, and lets no hidden character through.
# FISQL_TESTS=all runs every query in every format on each (an hour), brief a third of the commands.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 1
export PYTHONDONTWRITEBYTECODE=1 PAGER=cat HOME=$TEST_TMP
page_built "hostile databases: fisql report" || true
python3 "$here/tests/corrupt/databases.py" "$fisql" "$here/schema.sql" "$here/tests/fixtures/small.sql" ${FISQL_TESTS:+"$FISQL_TESTS"} ||
    not_ok "the hostile databases can be made"

# The views that a database keeps end, too, for whoever asks them in the sqlite3 shell.
cat >bend.sql <<'S'
UPDATE frames SET parent_id = id WHERE id = 1; UPDATE frames SET parent_id = 3 WHERE id = 2; UPDATE frames SET parent_id = 2 WHERE id = 3;
S
build gcc hungry -O1 -g "$programs/hungry.c"
"$fisql" record -q -o run.bin ./hungry relief none >/dev/null
"$fisql" load -q run.bin
sqlite3 run.db <bend.sql
for view in frame_stacks not_freed peak_memory slow_calls outliers hot_paths context_tree temporary_allocations deep_stacks; do
    timeout 20 sqlite3 -readonly run.db "SELECT count(*) FROM $view" >/dev/null 2>err
    same "the view $view ends where frames go in a circle" "0 " "$? $(cat err)"
done
