#!/bin/bash
# Programs built with a sanitizer can be recorded: every call is there, and so are the allocations where the
# collector can see them; and the sanitizer reports what it reports without fisql.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# What a sanitizer said, without numbers and addresses, and without the frames of libraries.
reports() { grep -aE '^(SUMMARY|ERROR|Direct leak)|ERROR: |runtime error' "$1" | sed -E 's/==[0-9]+==//; s/0x[0-9a-f]+/N/g; s/ (sp|bp|pc) N//g; s/T[0-9]+$//; s/\(pid=[0-9]+\)//' | sort -u; }
work() { sql run.db "SELECT sum(calls) FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'work'"; }
# the program's blocks
allocs() { sql run.db "SELECT count(*) || ' ' || count(free_ns) FROM allocs WHERE size = 1237"; }

recorded() { # what, command...
    local what=$1 plain
    shift
    "$@" >plain.out 2>&1
    plain=$?
    "$fisql" record -q "$@" >out 2>&1
    same "$what: status" $plain $?
    same "$what: what the sanitizer reports" "$(reports plain.out)" "$(reports out)"
    "$fisql" load -q run.bin
}

for compiler in gcc clang; do
    for sanitizer in address undefined thread leak; do
        if ! $compiler -fsanitize=$sanitizer -o any -x c - <<<'int main(void) { return 0; }' 2>no.err; then
            ok "skipped: $compiler -fsanitize=$sanitizer: $(head -n 1 no.err)"
            continue
        fi
        what="$compiler -fsanitize=$sanitizer"
        build $compiler sanitized -O1 -g -fsanitize=$sanitizer "$programs/sanitized.c" || continue
        case $sanitizer in
        address) ways="plain leak bug" ;;
        undefined) ways="plain overflow" ;;
        thread) ways=plain ;;
        leak) ways="plain leak" ;;
        esac
        for how in $ways; do
            recorded "$what $how" ./sanitized $how
            same "$what $how: every call" 2000 "$(work)"
            case "$compiler $sanitizer $how" in
            *bug) ;;
            gcc* | *undefined*)
                [ "$how" = leak ] && freed=5 || freed=6
                same "$what $how: the blocks" "6 $freed" "$(allocs)"
                ;;
            *) has "$what $how: it is told that blocks are not recorded" "allocations: a program has a malloc of its own" "$("$fisql" query completeness)" ;;
            esac
        done
        [ $sanitizer = thread ] || continue
        build $compiler races -O0 -g -fsanitize=thread "$programs/races.c"
        for how in "" _exit; do
            # shellcheck disable=SC2086 # no word or one
            recorded "$what, a race $how" ./races $how
            same "$what, a race $how: every call" 2000 "$(sql run.db "SELECT s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'add'")"
        done
    done
    build $compiler sanitized -DOWN_OPTIONS -O1 -g -fsanitize=address "$programs/sanitized.c" || continue
    recorded "$compiler's ASan, options of the program's own" ./sanitized bug
    recorded "$compiler's ASan, options of the program's own, as a child" sh -c './sanitized bug; ./sanitized; exit $?'
    same "$compiler's ASan, options of the program's own, as a child: every call" 4000 "$(work)"
done

# Programs without hooks are left alone: reports name callers by the return addresses on the stack. An allocation has one
# more frame where the collector's malloc() comes first.
stacks() { sed -nE 's/^ *#[0-9]+ 0x[0-9a-f]+ in ([^ ]+) ([^ ]*).*/\1 \2/p' "$1" | grep -vE '^(malloc|free) .*collector/memory|^__|^_start|<null>' |
    sed -E 's/:[0-9]+(:[0-9]+)?$//'; }
for compiler in gcc clang "clang -shared-libasan -Wl,-rpath,$(dirname "$(clang -print-file-name=libclang_rt.asan-x86_64.so)")"; do
    for sanitizer in address leak; do
        # shellcheck disable=SC2086 # a list of words
        $compiler -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fsanitize=$sanitizer -o as_is "$programs/any_sanitized.c" -lpthread 2>no.err || {
            ok "skipped: $compiler -fsanitize=$sanitizer: $(head -n 1 no.err)"
            continue
        }
        for how in plain behind freed twice leak null thread; do
            [ $sanitizer = leak ] && [ $how != plain ] && [ $how != leak ] && [ $how != null ] && continue
            what="${compiler%% -Wl*} -fsanitize=$sanitizer without hooks, $how"
            ./as_is $how >plain.out 2>&1
            plain=$?
            "$fisql" record -o as_is.bin ./as_is $how >out 2>&1
            same "$what: status" $plain $?
            same "$what: what the sanitizer reports" "$(reports plain.out)" "$(reports <(grep -v ^fisql: out))"
            same "$what: the stacks" "$(stacks plain.out)" "$(stacks out)"
            has "$what: record says why" "read return addresses of the stack" "$(grep ^fisql: out)"
        done
    done
done

# A sanitizer that is preloaded starts after the collector is loaded, and calls malloc() while it does.
build gcc unsanitized -O1 -g "$programs/sanitized.c"
for name in asan lsan tsan ubsan; do
    library=$(gcc -print-file-name=lib$name.so)
    [ "${library#/}" != "$library" ] || continue
    LD_PRELOAD=$library ./unsanitized plain >plain.out 2>&1
    plain=$?
    run "$fisql" record -q env LD_PRELOAD="$library" ./unsanitized plain
    same "lib$name preloaded: status and output" "$plain $(cat plain.out)" "$status $out$err"
    "$fisql" load -q run.bin
    same "lib$name preloaded: every call, and the blocks" "2000 6 6" "$(work) $(allocs)"
done
