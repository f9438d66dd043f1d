#!/bin/bash
# uftrace's own test programs, each build recorded by uftrace and by fisql: the same calls of each function, from the same
# callers, at the same depths. Their source is not part of fisql: tests/setup fetches it, or it is a clone of uftrace at
# ~/.cache/fisql-tests/uftrace.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
command -v uftrace >/dev/null || {
    echo "skipped - uftrace's own programs: there is no uftrace"
    exit 0
}
archive=$(find "$sources/uftrace" -maxdepth 1 -name 'uftrace_*.orig.tar.*' 2>/dev/null | head -n 1)
if [ -n "$archive" ]; then
    mkdir upstream && tar xf "$archive" -C upstream --strip-components=1
else
    ln -s "$sources/uftrace" upstream
fi
if [ ! -e upstream/tests/s-abc.c ]; then
    echo "skipped - uftrace's own programs: their source is not there, and tests/setup cannot fetch it"
    exit 0
fi

# Without calls of libraries uftrace does not see what these do with the stack, or how they end. With them it does, and
# then calls that libraries make are calls of those.
sees_by_calls='longjmp|swapcontext|daemon|_?exit'
# Calls by function; edges; depths, from the thread's first on: a forked child's lie within those of its parent, which
# uftrace's folder leaves out.
shape() { # DB [DEPTHS]
    sql "$1" "SELECT 'calls', f.name, s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE NOT f.external ORDER BY 2;
        SELECT 'edge', coalesce(p.name, '-'), c.name, sum(e.calls) FROM edges e LEFT JOIN functions p ON p.id = e.caller_id
            JOIN functions c ON c.id = e.callee_id WHERE NOT c.external GROUP BY 2, 3 ORDER BY 2, 3"
    [ -z "${2-}" ] || sql "$1" "WITH first AS (SELECT thread_id, min(depth) AS depth FROM calls GROUP BY thread_id)
        SELECT 'depth', f.name, c.depth - first.depth, count(*) FROM calls c JOIN first USING (thread_id) JOIN frames r ON r.id = c.frame_id
            JOIN functions f ON f.id = r.function_id GROUP BY 2, 3 ORDER BY 2, 3"
}
compared=0
for source in upstream/tests/s-*.c upstream/tests/s-*.cpp; do
    name=$(basename "$source")
    name=${name%.*}
    case $name in
        # What it counts differs by itself, for reasons that are uftrace's.
        s-ucontext) continue ;;                   # it takes what swapcontext() goes on with for a call
        s-malloc-tsd | s-thread-tsd) continue ;;  # it leaves a thread before the destructors of its keys are called
    esac
    compiler=gcc
    [ "${source##*.}" = c ] || compiler=g++
    # Some are parts of programs, or want headers of uftrace's build.
    "$compiler" -w -g -O0 -finstrument-functions -Iupstream -o program "$source" -lpthread -ldl -lm >/dev/null 2>&1 || continue
    depths=yes options=--no-libcall
    if nm -D program | grep -qE " U _*($sees_by_calls)(@|\$)"; then depths='' options=''; fi
    rm -rf theirs run.db theirs.db
    # shellcheck disable=SC2086 # one option or none
    timeout 60 uftrace record --no-event --no-sched --no-pager $options -d theirs ./program </dev/null >/dev/null 2>&1
    timeout 60 "$fisql" record -q --no-alloc -o run.bin ./program </dev/null >/dev/null 2>&1
    "$fisql" load -q -o run.db run.bin 2>/dev/null
    "$fisql" load -q -o theirs.db theirs 2>said
    same "$name: calls, edges${depths:+, depths}" "$(shape run.db "$depths")" "$(shape theirs.db "$depths")"
    at_least "$name: there are calls" 1 "$(sql theirs.db 'SELECT sum(calls) FROM function_stats')" "$(cat said)"
    compared=$((compared + 1))
done
at_least "most of its programs are compared" 70 "$compared"
