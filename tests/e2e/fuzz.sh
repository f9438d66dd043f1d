#!/bin/bash
# Fuzzes the loader with clang's sanitizers: a quarter of a minute in CI (.ci/run), some seconds by hand. `make fuzz`
# does it for hours.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
seconds=8
[ -z "${CI-}" ] || seconds=15
case $FISQL_BUILD in
*asan*)
    ok "left out: the fuzz target has sanitizers of its own"
    exit 0
    ;;
esac
if make -s -C "$here" BUILD="$FISQL_BUILD" "$FISQL_BUILD/fuzz/fuzz_load" >"$TEST_TMP/make.log" 2>&1; then
    "$here/tests/fuzz/fuzz" "$FISQL_BUILD" "$seconds"
else
    not_ok "the fuzz target builds: $(tail -n 3 "$TEST_TMP/make.log")"
fi
