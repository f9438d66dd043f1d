#!/bin/bash
# Every source compiles for aarch64 (with the cross compiler; nothing is run), without a warning; where FISQL_TESTS=brief,
# those outside of the collector, which have no assembly, are only parsed.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$here" || exit 2
if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
    not_ok "aarch64-linux-gnu-gcc is there (tests/setup check installs it)"
    exit 0
fi
failed=
for file in collector/*/*.c base/*.c loader/*.c loader/*/*.c live/*.c debuginfo/*/*.c cli/*.c cli/*/*.c; do
    pic='' how="-O1 -c"
    ! brief || how=-fsyntax-only
    case $file in
        collector/*) how="-O1 -c" ;;&
        collector/faults/faults_calls.c) pic="-fPIC -fvisibility=hidden" ;;
        collector/faults/faults*) pic="-fPIC -fvisibility=hidden -ftls-model=initial-exec -DFISQL_VALUES -DFISQL_FAULTS -mgeneral-regs-only" ;;
        collector/values/values*) pic="-fPIC -fvisibility=hidden -ftls-model=initial-exec -DFISQL_VALUES -mgeneral-regs-only" ;;
        collector/*) pic="-fPIC -fvisibility=hidden -ftls-model=initial-exec" ;;
    esac
    # shellcheck disable=SC2086 # a list of options
    out=$(aarch64-linux-gnu-gcc -I. -idirafter /usr/include -D_GNU_SOURCE -DFISQL_VERSION='"test"' \
        -DFISQL_PREFIX='"/usr/local"' -std=gnu11 $how -Wall -Wextra -Werror $pic -o "$TEST_TMP/object.o" "$file" 2>&1) ||
        failed="$failed
$file: $(head -n 3 <<<"$out")"
done
same "every source compiles for aarch64" "" "$failed"
