#!/bin/bash
# record --no-time: without times, too, a function is the one of the library that lay there then.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

for name in A B; do
    build gcc plugin$name.so -shared -fPIC -g -DNAME=$name "$programs/plugin.c"
done
build gcc dlopens -g "$programs/dlopens.c"
"$fisql" record -q --no-time ./dlopens ./pluginA.so ./pluginB.so 50 >out.txt
"$fisql" load -q run.bin
same "--no-time: libraries that take each other's place: counts" "inner_A 50
inner_B 50
main 1
plugin 25
plugin 25" "$(counts run.db | LC_ALL=C sort)"
same "--no-time: no time passes" 0 "$(sql run.db 'SELECT sum(duration_ns) FROM calls')"
