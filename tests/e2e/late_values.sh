#!/bin/bash
# Arguments and results in libraries that the program opens by itself, and in programs that it runs: fisql record
# makes their recipes when they come. Calls before that have none, and are counted; no value is wrong.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    for (int i = 0; i < 40; i++) {
        void *library = dlopen(argv[1 + i % 2], RTLD_NOW);
        int (*plugin)(int) = (int (*)(int))dlsym(library, "plugin");
        for (int k = 0; k < 100; k++)
            plugin(100 * i + k);
        dlclose(library);
        usleep(10000);
    }
}
C
for name in A B; do
    "$fisql" cc gcc -w -g -O1 -shared -fPIC -DNAME=$name -o plugin$name.so "$programs/plugin.c"
done
gcc -w -finstrument-functions -shared -fPIC -DNAME=C -o pluginC.so "$programs/plugin.c"
"$fisql" cc gcc -w -g -O1 -o opens opens.c -ldl

lost() { sql run.db "SELECT coalesce(sum(CAST(substr(detail, 4) AS INTEGER)), 0) FROM losses WHERE detail LIKE 'of % calls, made before fisql record had read the debug information: %'"; }
missing() { sql run.db "SELECT count(*) FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
    WHERE f.name IN ('$1', '$2', '$3') AND NOT EXISTS (SELECT 1 FROM call_values v WHERE v.id = c.id * 32 + 1)"; }

"$fisql" record -q --values ./opens ./pluginA.so ./pluginB.so
"$fisql" load -q run.bin 2>/dev/null
same "libraries that are opened and closed: every call without values is counted" "$(missing plugin inner_A inner_B)" "$(lost)"
at_least "and most have values" 10000 $((12000 - $(lost)))
same "none is wrong" "0" "$(sql run.db "SELECT count(*) FROM call_values v JOIN call_values r ON r.id = v.call_id * 32
    JOIN recorded_calls c ON c.id = v.call_id JOIN functions f ON f.id = c.function_id
    WHERE v.position = 1 AND r.value <> v.value + CASE f.name WHEN 'plugin' THEN v.value + 3 ELSE 1 END")"
same "the function is that of the library that was there" "plugin 4000" "$(sql run.db "SELECT name || ' ' || sum(calls) FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'plugin' GROUP BY name")"

"$fisql" record -q --values='inner_A' ./opens ./pluginA.so ./pluginB.so 2>said
has "a pattern has to match in the program itself" "no function's name or file matches inner_A" "$(cat said)"
"$fisql" record -q --values='inner_A' --values=main ./opens ./pluginA.so ./pluginB.so
"$fisql" load -q run.bin 2>/dev/null
same "patterns hold for them, too" "inner_A main" "$(sql run.db "SELECT DISTINCT f.name FROM call_values v JOIN recorded_calls c ON c.id = v.call_id JOIN functions f ON f.id = c.function_id ORDER BY 1" | xargs)"

"$fisql" record -q --values ./opens ./pluginA.so ./pluginC.so 2>said
has "one without debug information is named" "pluginC.so: no debug information: its arguments and results are not recorded" "$(cat said)"

# Another program: its own recipes, the second time from the first call on.
cat >runs.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int twice(int n) { return 2 * n; }
int main(int argc, char **argv)
{
    volatile int sum = 0;
    if (argc > 1) {
        for (int i = 0; i < 4000; i++) {
            sum += twice(i);
            if (i % 100 == 0)
                usleep(10000);
        }
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        if (fork() == 0)
            execl("./other", "other", "again", NULL);
        wait(NULL);
    }
}
C
"$fisql" cc gcc -w -g -O1 -o runs runs.c
"$fisql" cc gcc -w -g -O1 -DOTHER -o other runs.c
"$fisql" record -q --values ./runs
"$fisql" load -q run.bin 2>/dev/null
same "a program that is run: every call without values is counted" "$(missing twice main main)" "$(lost)"
at_least "and most have values" 7000 "$(sql run.db "SELECT count(*) FROM call_arguments WHERE function = 'twice' AND parameter = 'n' AND value IS NOT NULL")"
same "none is wrong" "0" "$(sql run.db "SELECT count(*) FROM call_values v JOIN call_values r ON r.id = v.call_id * 32
    JOIN recorded_calls c ON c.id = v.call_id JOIN functions f ON f.id = c.function_id WHERE v.position = 1 AND f.name = 'twice' AND r.value <> 2 * v.value")"
same "the second time they are there from the first call on" 4000 "$(sql run.db "SELECT count(*) FROM call_values v JOIN calls c ON c.id = v.call_id
    JOIN threads t ON t.id = c.thread_id JOIN recorded_calls o ON o.id = c.id JOIN functions f ON f.id = o.function_id
    WHERE f.name = 'twice' AND v.position = 1 AND t.process_id = (SELECT max(id) FROM processes)")"

# One that defines no symbol for others: its table of symbols then does not say how many it uses.
"$fisql" cc gcc -w -g -O1 -DOTHER -no-pie -fno-pie -o other runs.c
same "the program defines none" 0 "$(readelf --wide --dyn-syms other | awk '$1 ~ /^[0-9]+:$/ && $1 != "0:" && $7 != "UND"' | wc -l)"
"$fisql" record -q --values ./runs
"$fisql" load -q run.bin 2>/dev/null
same "a program without symbols of its own: every call without values is counted" "$(missing twice main main)" "$(lost)"
at_least "and most have values" 7000 "$(sql run.db "SELECT count(*) FROM call_arguments WHERE function = 'twice' AND parameter = 'n' AND value IS NOT NULL")"
