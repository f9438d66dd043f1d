#!/bin/bash
# fisql control patches and unpatches a program, recorded as it is, again and again: while it loads and unloads two
# libraries with the same code, often at the same address, and at the moment when it ends. It runs as plain, and it ends.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

g++ -w -O2 -g -fnon-call-exceptions -I "$programs/../.." -c "$programs/../stress/storm.cc" -o storm.o
gcc -w -O2 -g -I "$programs/../.." -c "$programs/../stress/nest.c" -o nest.o
g++ -o storm storm.o nest.o -lpthread -ldl -lm
for plugin in A B; do
    gcc -w -O2 -g -shared -fPIC -DNAME=$plugin -o plugin$plugin.so "$programs/any_plugin.c"
done

again() { # PARTS ROUNDS RUNS: prints how many runs did not end as plain
    bad=0
    for _ in $(seq "$3"); do
        "$fisql" record -q --as-is ./storm "$1" "$2" ./pluginA.so ./pluginB.so >out.txt 2>err.txt &
        recorder=$!
        end=$((SECONDS + 60))
        while kill -0 $recorder 2>/dev/null && [ $SECONDS -lt $end ]; do
            program=$(pgrep -P $recorder -x storm) || continue
            "$fisql" control "$program" stop
            "$fisql" control "$program" start
        done 2>/dev/null >&2
        if [ $SECONDS -ge $end ]; then
            echo "it does not end: $(cat "/proc/$program/status" 2>&1 | grep -E 'State|Tracer')"
            kill -9 "$program" $recorder
        fi
        wait $recorder
        [ $? -eq 4 ] || bad=$((bad + 1))
    done
    echo $bad
}
same "libraries come and go" 0 "$(again ll 3000 40)"
same "threads come and go, and the program soon ends" 0 "$(again t 100 40)"
