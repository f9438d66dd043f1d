#!/bin/bash
# Fuzzes the loader with clang's sanitizers for two minutes. `make fuzz` does it for hours.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
if make -s -C "$here" BUILD="$FISQL_BUILD" "$FISQL_BUILD/fuzz/fuzz_load" >"$TEST_TMP/make.log" 2>&1; then
    "$here/tests/fuzz/fuzz" "$FISQL_BUILD" 120
else
    not_ok "the fuzz target builds: $(tail -n 3 "$TEST_TMP/make.log")"
fi
