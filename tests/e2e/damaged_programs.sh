#!/bin/bash
# Damaged programs, in ELF and DWARF: whatever is left of their symbols, as `fisql load` reads them, and of their recipes, as
# `fisql record --values` makes them, is read, and nothing crashes or hangs. `make asan-quick` runs it under sanitizers.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
build g++ damaged-by -O1 -g -std=c++17 "$programs/exceptions.cc" || exit 0
copies=$(share 500)
for dump in symbols recipes; do
    same "$dump of $copies damaged copies of a program" "$copies copies" \
        "$(python3 "$here/tests/corrupt/binaries.py" "$FISQL_BUILD/${dump}_dump" damaged-by "$copies" 2>&1)"
done
