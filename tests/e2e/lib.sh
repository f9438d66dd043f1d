# Shared by the end-to-end tests: source it. Gives ok/not_ok, check, and the paths of what is tested.
# shellcheck shell=bash
# shellcheck disable=SC2034 # used by the tests
fisql=$FISQL_BUILD/fisql
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$here/../programs
sources=${XDG_CACHE_HOME:-$HOME/.cache}/fisql-tests
cd "$TEST_TMP" || exit 2

ok() { echo "ok - $*"; }
not_ok() { echo "not ok - $*"; }

# same WHAT EXPECTED ACTUAL
same() {
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1"
        diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -n 20
    fi
}

# sql DB QUERY
sql() { sqlite3 -batch "$1" "$2"; }

# Compiles a test program with hooks: build COMPILER OUTPUT FLAG... FILE...
build() {
    local compiler=$1 output=$2
    shift 2
    "$fisql" cc "$compiler" -w -o "$output" "$@" -lpthread -ldl -lm || {
        not_ok "$output builds"
        return 1
    }
}

# Checks that hold for every database: sound, ids in pre-order, children within parents, times add up.
sound() { # WHAT DB
    same "$1: integrity_check" ok "$(sql "$2" 'PRAGMA integrity_check')"
    same "$1: self and children make the duration, parents enclose children" 0 "$(sql "$2" '
        SELECT count(*) FROM calls c
        WHERE c.children_ns <> coalesce((SELECT sum(k.duration_ns) FROM calls k
                                         WHERE k.id > c.id AND k.id <= c.id + c.descendants
                                           AND k.parent_id = c.id), 0) AND c.descendants < 2000
          AND c.thread_id IN (SELECT id FROM threads WHERE counted_calls = 0)
           OR c.parent_id IS NOT NULL AND EXISTS (SELECT 1 FROM calls p WHERE p.id = c.parent_id
              AND (c.id > p.id + p.descendants OR c.enter_ns < p.enter_ns
                   OR c.enter_ns + c.duration_ns > p.enter_ns + p.duration_ns))')"
}

# The functions of a database and how often they were called, as the test programs print them.
counts() { # DB
    sql "$1" "SELECT replace(f.name, '()', '') || ' ' || s.calls FROM function_stats s
              JOIN functions f ON f.id = s.function_id ORDER BY f.name"
}

# Sums up what processes of a program printed (report() in count.h), in the order of counts().
expected() { # FILE
    awk '{ calls[$1] += $2 } END { for (name in calls) print name, calls[name] }' "$1" | LC_ALL=C sort
}
