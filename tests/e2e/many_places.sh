#!/bin/bash
# A program with more pairs of function and call site than a chunk's dictionary has room for, and a signal's handler that calls
# hundreds more, at any instruction of the hooks: each call is counted, below its caller, however few calls are timed.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

python3 - >many.c <<'EOF'
calls, handled = 3000, 200
print("#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/time.h>\nvolatile unsigned sink; volatile unsigned long came;")
def function(name, more=""):
    print("__attribute__((noinline)) unsigned %s(unsigned x) { for (unsigned k = 0; k < (x & 1); k++) sink += k; return x + 1%s; }" % (name, more))
for i in range(calls):
    function("f%d" % i)
for i in range(handled):
    function("g%d" % i)
    function("h%d" % i, " + g%d(x)" % i)
print("void handler(int s) { unsigned v = s; came++;")
for i in range(handled):
    print("v += h%d(v & 1);" % i)
print("sink += v; }\nint main(int count, char **words) { unsigned v = count; struct itimerval every = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};")
print("struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}; sigaction(SIGALRM, &action, NULL);")
print("setitimer(ITIMER_REAL, &every, NULL); for (int k = atoi(words[1]); k > 0; k--) {")
for i in range(calls):
    print("v += f%d(v & 1);" % i)
print('} setitimer(ITIMER_REAL, &never, NULL); printf("%lu\\n", came); return v == 42; }')
EOF
gcc -O1 -o plain many.c
gcc -O1 -finstrument-functions -o hooks many.c
# kind GLOB CALLER: how many functions have this name and caller, and their least and most calls
kind() {
    sql run.db "SELECT count(DISTINCT f.name) || ' ' || min(n) || ' ' || max(n) FROM (
            SELECT fr.function_id, p.function_id AS caller_id, sum(fr.calls) AS n FROM frames fr LEFT JOIN frames p ON p.id = fr.parent_id GROUP BY 1, 2) c
        JOIN functions f ON f.id = c.function_id JOIN functions o ON o.id = c.caller_id WHERE f.name GLOB '$1' AND o.name GLOB '$2'"
}
for program in plain hooks; do
    for how in full sampled none; do
        run "$fisql" record -q --time $how -o run.bin ./$program 100
        came=$out
        same "$program, --time $how: it ends as ever" "0 " "$status $err"
        "$fisql" load -q --calls=none run.bin 2>load_err
        at_least "$program, --time $how: the handler came" 1 "$came"
        same "$program, --time $how: 3000 functions are called by main" "3000 100 100" "$(kind 'f[0-9]*' main)"
        same "$program, --time $how: 200 by the handler" "200 $came $came" "$(kind 'h[0-9]*' handler)"
        same "$program, --time $how: and those call 200" "200 $came $came" "$(kind 'g[0-9]*' 'h[0-9]*')"
        same "$program, --time $how: there are no more calls" "$((300000 + came * 401 + 1)) 0 0" "$(sql run.db "
            SELECT sum(calls) || ' ' || (SELECT count(*) FROM losses) || ' ' || (SELECT count(*) FROM anomalies) FROM threads")"
    done
done
