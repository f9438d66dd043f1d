#!/bin/bash
# growing-calls on real runs: docs/examples/receipt.c has two functions that grow, quicker.c none.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
export XDG_CONFIG_HOME=$TEST_TMP/config
cd "$TEST_TMP" || exit 2

build gcc receipt -O1 -g "$here/docs/examples/receipt.c"
"$fisql" record -q ./receipt && "$fisql" load -q run.bin
same "append grows in the run, is_known within each receipt" "append linear the run own code
is_known linear caller own code" \
    "$("$fisql" query growing-calls --format csv | tr -d '\r' | sed 1d | python3 -c '
import csv, sys
for row in sorted(csv.reader(sys.stdin)):
    print(row[0], row[-12], row[-10], row[-9])')"

build gcc versions -O1 -g "$programs/quicker.c" -DCOUNT=300
"$fisql" record -q ./versions && "$fisql" load -q run.bin
same "a program whose calls are alike: none" "" "$("$fisql" query growing-calls --format csv 2>/dev/null | sed 1d)"
