#!/bin/bash
# aarch64: arguments and results, and calls that are made to fail: the collectors, cross-compiled, under qemu-user.
# `fisql record` runs a program of this machine, which runs that of the other: its recipes are made when it comes.
# A value may be missing; none is wrong.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
for tool in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++; do
    if ! command -v $tool >/dev/null; then
        not_ok "$tool is there (tests/setup check installs it)"
        exit 0
    fi
done
root=/usr/aarch64-linux-gnu # of Debian's cross compilers
sources=$here/tests/programs/values

{
    for level in 0 2; do
        for name in told types expressions; do
            echo "aarch64-linux-gnu-gcc -w -g -finstrument-functions -O$level -pthread -o $name-O$level $sources/$name.c"
        done
        echo "aarch64-linux-gnu-g++ -w -g -finstrument-functions -std=c++17 -O$level -o types_cc-O$level $sources/types.cc"
    done
    echo "aarch64-linux-gnu-gcc -w -g -finstrument-functions -O1 -pthread -o faulty-O1 $programs/faulty.c"
} | xargs -P 2 -d '\n' -I{} sh -c '{}' >build.txt 2>&1
collector_aarch64 "$TEST_TMP/aarch64" libfisql-{values,faults,calls,locks}.so >>build.txt
same "collectors and programs build for aarch64, without a warning" "" "$(cat build.txt)"

# What is asked for on the command line has to be in the program that is recorded: it has the other's functions, too.
cat >launcher.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words)
{
    int status = 0;
    for (int i = 0; i < 2; i++) {
        if (i > 0)
            sleep(1); /* until the recipes are there */
        if (fork() == 0)
            execvp(words[1], words + 1);
        wait(&status);
    }
    return count > 1 && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
C
gcc -c launcher.c
for file in "$sources"/{told,types,expressions}.c "$programs/faulty.c"; do
    "$fisql" cc gcc -w -g -O1 -pthread -Dmain=not_main -o "$(basename "$file" .c)-here" "$file" launcher.o
done

last="(SELECT max(id) FROM processes)"
# record_values PROGRAM HERE OPTION...: run.db, whose last process had its recipes from its first call on. Twice it may
# have been too fast for them.
record_values() {
    local program=$1 launcher=$2
    shift 2
    for _ in 1 2 3; do
        run "$fisql" record -q "$@" -o run.bin "./$launcher" qemu-aarch64 -L $root -E "LD_PRELOAD=$TEST_TMP/aarch64/libfisql-values.so" "./$program"
        "$fisql" load -q run.bin 2>/dev/null
        [[ $(sql run.db "SELECT count(*) FROM losses WHERE process_id = $last") != 0 ]] || break
    done
}
# texts: the calls of the last process, as call_text shows them
texts() {
    sql run.db "SELECT x.text FROM call_text x JOIN calls c ON c.id = x.call_id JOIN threads t ON t.id = c.thread_id
                WHERE t.process_id = $last ORDER BY c.id"
}
# differing PRINTED RECORDED: lines that are others; a ? may be anything
differing() {
    python3 - "$1" "$2" <<'P'
import re, sys
printed, recorded = [open(name).read().splitlines() for name in sys.argv[1:]]
if len(printed) != len(recorded):
    print(f"{len(printed)} printed, {len(recorded)} recorded")
for want, have in zip(printed, recorded):
    if not re.fullmatch(re.escape(have).replace(r"\?", ".*"), want):
        print(f"printed  {want}\nrecorded {have}")
P
}

asked='expressions: node->name, node->codes[count - 1], node->next->name, node->weight, count * 3 - 1'
for how in "0 0" "2 12"; do
    read -r level missing <<<"$how"
    record_values told-O$level told-here --values --value "$asked"
    same "told -O$level: exit status, and what fisql says" "0 " "$status $err"
    tail -n 38 <<<"$out" >printed.txt
    texts | grep -vE '^(main|told)' | sed -E 's/\.0([,)]|$)/\1/g' >recorded.txt
    same "told -O$level: every value is what the program prints" "" "$(differing printed.txt recorded.txt)"
    same "told -O$level: the program printed its calls" 38 "$(grep -c ' = ' printed.txt)"
    at_least "told -O$level: hardly one is missing" 0 $((missing - $(grep -o '?' recorded.txt | wc -l)))
    sound "told -O$level" run.db
done

for how in "types c 0 100" "types c 2 75" "types_cc cc 0 65" "types_cc cc 2 50"; do
    read -r name extension level least <<<"$how"
    record_values $name-O$level types-here --values
    texts >types.txt
    compared=$(python3 "$here/tests/e2e/recipes.py" "$sources/types.$extension.expected" types.txt)
    same "types.$extension -O$level: no value is wrong" "" "$(sed '$d' <<<"$compared")"
    at_least "types.$extension -O$level: values are located" "$least" "$(tail -n 1 <<<"$compared" | cut -d ' ' -f 1)"
done

# Expressions of every kind, which the program prints as well.
for how in "0 150" "2 130"; do
    read -r level least <<<"$how"
    qemu-aarch64 -L $root ./expressions-O$level >printed.txt
    mapfile -t asked < <(python3 - <<'P'
import re
asked = {}
for line in open("printed.txt"):
    function, expression, _ = re.split(r"(?<!:): ", line.rstrip("\n"), maxsplit=2)
    asked.setdefault(function, {})[expression] = True
for function, expressions in asked.items():
    print("--value\n%s: %s" % (function, ", ".join(expressions)))
P
    )
    record_values expressions-O$level expressions-here "${asked[@]}"
    sql run.db "SELECT f.name || ': ' || p.name || ': ' || coalesce(a.text, '?')
        FROM calls c JOIN threads t ON t.id = c.thread_id JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
        JOIN parameters p ON p.function_id = f.id AND p.expression = 1
        LEFT JOIN call_arguments a ON a.call_id = c.id AND a.position = p.position
        WHERE t.process_id = $last ORDER BY c.id, p.position" >recorded.txt
    same "expressions -O$level: every value is what the program prints" "" "$(differing printed.txt recorded.txt | head -6)"
    at_least "expressions -O$level: values are known" "$least" "$(grep -vc ': ?$' recorded.txt)"
done

# Calls of the C library fail there, too; functions do not return early.
faulty() {
    local arguments=()
    for rule; do arguments+=(--fault "$rule"); done
    run "$fisql" record -q "${arguments[@]}" -o run.bin ./faulty-here qemu-aarch64 -L $root \
        -E "LD_PRELOAD=$TEST_TMP/aarch64/libfisql-calls.so:$TEST_TMP/aarch64/libfisql-faults.so" ./faulty-O1
    "$fisql" load -q run.bin 2>/dev/null
}
faulty 'close: fail' 'read: return -1 errno EINTR' 'calloc: fail'
for line in "read -1, errno 4" "close -1, errno 5, closed" "calloc NULL, errno 12"; do
    has "a call fails: $line" "$line" "$out"
done
same "each is in the database" "calloc|close|read" "$(sql run.db "SELECT group_concat(name, '|') FROM
    (SELECT DISTINCT substr(r.rule, 1, instr(r.rule, ':') - 1) AS name FROM faults x JOIN fault_rules r ON r.id = x.rule_id ORDER BY 1)")"

# With the program's own functions: fisql record runs it itself, by the emulator.
cat >emulate.c <<'C'
#include <stdlib.h>
#include <unistd.h>
int execvp(const char *file, char *const *words)
{
    return execl("/usr/bin/env", "env", "qemu-aarch64", "-L", getenv("ROOT"), "-E", getenv("OTHERS"), file, words[1], NULL);
}
C
gcc -shared -fPIC -o emulate.so emulate.c
# struck RULE: exit status and where it struck
struck() {
    run env LD_PRELOAD="$TEST_TMP/emulate.so" ROOT=$root OTHERS="LD_PRELOAD=$TEST_TMP/aarch64/libfisql-calls.so:$TEST_TMP/aarch64/libfisql-faults.so" \
        "$fisql" record -q --fault "$1" -o run.bin ./faulty-O1
    "$fisql" load -q run.bin 2>/dev/null
    echo "$status $(sql run.db "SELECT group_concat(stack, '|') FROM faults_view")"
}
if nm "$fisql" | grep -q __asan_init; then
    ok "skipped: a sanitized fisql takes no library in front of it"
else
    same "a function can wait" "0 main => calls => mix => twice" "$(struck "twice nth=2: delay 300ms")"
    at_least "so long" 300000000 "$(sql run.db "SELECT max(duration_ns) FROM calls c JOIN faults x ON x.call_id = c.id")"
    same "raise a signal" "143 main => calls => mix => twice" "$(struck "twice nth=2: signal SIGTERM")"
    same "exit" "7 main => calls => mix => twice" "$(struck "twice nth=2: exit 7")"
    same "an argument is compared" "0 main => calls => twice" "$(struck "twice when n=2: mark")"
    same "calls fail where the stack says so" "0 main => calls => parse_item" "$(struck "malloc nth=2 in parse_*: fail")"
fi
for rule in "twice: return -1" "twice nth=2: throw std::bad_alloc"; do
    run "$fisql" record -q -o run.bin --fault "$rule" ./faulty-O1
    same "refused: $rule" 2 "$status"
    has "and why" "twice: how to return from it is not known: on x86-64 the call frame information (.eh_frame) tells; on other machines functions cannot be made to return or throw" "$err"
done
