# Shared by the end-to-end tests: sourced, not run. Checks print `ok - what` or `not ok - what`.
# shellcheck shell=bash
set -u
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) # the repository
if [ -z "${TEST_TMP-}" ]; then                           # run by hand, not by tests/run
    TEST_TMP=$(mktemp -d)
    trap 'rm -rf "$TEST_TMP"' EXIT
fi
: "${FISQL_BUILD:=$here/build}"
fisql=$FISQL_BUILD/fisql
export fisql here TEST_TMP FISQL_BUILD

# report STATUS WHAT [DETAIL]: 0 = ok
report() {
    if [ "$1" -eq 0 ]; then
        echo "ok - $2"
    else
        echo "not ok - $2"
        [ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/    /'
    fi
}

# same WHAT EXPECTED ACTUAL
same() {
    [ "$2" = "$3" ]
    report $? "$1" "expected: $2
actual:   $3"
}

# at_least WHAT LEAST NUMBER [DETAIL]
at_least() {
    if [ "${3:-0}" -ge "$2" ]; then report 0 "$1"; else report 1 "$1" "${4-at least $2 expected, not $3}"; fi
}

# has WHAT PART TEXT: the text contains the part
has() {
    case $3 in
        *"$2"*) report 0 "$1" ;;
        *) report 1 "$1" "no \"$2\" in: $3" ;;
    esac
}

# lacks WHAT PART TEXT
lacks() {
    case $3 in
        *"$2"*) report 1 "$1" "\"$2\" is in: $3" ;;
        *) report 0 "$1" ;;
    esac
}

# alone COMMAND...: on one processor, where `fisql record` has no writer and threads write their chunks themselves
alone() {
    taskset -c "$(taskset -pc $$ | sed 's/.*[: ,-]//')" "$@"
}

# brief: whether FISQL_TESTS=brief asks for some of what is tried in many ways, as in CI
brief() { [ "${FISQL_TESTS-}" = brief ]; }

# share COUNT: how many of COUNT inputs that are made by chance are tried: all, or a quarter
share() { if brief; then echo $((($1 + 3) / 4)); else echo "$1"; fi; }

# page_built WHAT: whether the report's page was built. Where it was not, for want of npm, WHAT counts as skipped.
page_built() {
    [ -e "$FISQL_BUILD/gen/report_missing" ] || return 0
    echo "skipped - $1: the report's page is missing"
    return 1
}

# run COMMAND...: sets out, err and status
run() {
    "$@" >"$TEST_TMP/out" 2>"$TEST_TMP/err"
    status=$?
    out=$(tr -d '\0' <"$TEST_TMP/out")
    err=$(cat "$TEST_TMP/err")
    export out err status
}

# small_database FILE: the run that tests/fixtures/small.sql holds, with the queries' views
small_database() {
    cat "$here/schema.sql" "$here/tests/fixtures/small.sql" | sqlite3 "$1"
}

# --- recording test programs; a test that records works in TEST_TMP
# shellcheck disable=SC2034 # used by the tests
programs=$here/tests/programs
# shellcheck disable=SC2034
sources=${XDG_CACHE_HOME:-$HOME/.cache}/fisql-tests

ok() { report 0 "$*"; }
not_ok() { report 1 "$*"; }

# sql DB QUERY
sql() { sqlite3 -batch "$1" "$2"; }

# Compiles a test program with hooks: build COMPILER OUTPUT FLAG... FILE..., and with fisql cc's options $cc_options
cc_options=
build() {
    local compiler=$1 output=$2
    shift 2
    # shellcheck disable=SC2086 # a list
    "$fisql" cc $cc_options "$compiler" -w -o "$output" "$@" -lpthread -ldl -lm || {
        not_ok "$output builds"
        return 1
    }
}

# Checks that hold for every database: sound, ids in pre-order, children within parents, times add up.
sound() { # WHAT DB
    same "$1: integrity_check" ok "$(sql "$2" 'PRAGMA integrity_check')"
    same "$1: self and children make the duration, parents enclose children" 0 "$(sql "$2" '
        SELECT count(*) FROM calls c
        WHERE c.children_ns <> coalesce((SELECT sum(paused_ns) FROM pauses p WHERE p.call_id = c.id), 0) +
            coalesce((SELECT sum(k.duration_ns) FROM calls k
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

# The calls of the own functions of strings.cc, by short name, as the compilers agree on them.
# The collector's libraries NAME.so for aarch64, in FOLDER; prints what the compiler has to say.
collector_aarch64() { # FOLDER NAME...
    local folder=$1
    shift
    mkdir -p "$folder" && : >"$folder/needs" # what the commands need is not needed
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory -C "$here" -j2 CI=1 BUILD="$folder" \
        CC=aarch64-linux-gnu-gcc CPPFLAGS="-idirafter /usr/include" "${@/#/$folder/}" 2>&1
}
own_counts() { # DB
    "$fisql" query call-counts --file strings.cc --demangle short --format json "$1" |
        jq -r '.[] | "\(.function) \(.calls)"' | sed -E 's/\{lambda#[0-9]\}|\$_[0-9]/{lambda}/g; s/::operator\(\)//g; s/(\{lambda\})\([^)]*\)( const)? /\1 /' |
        grep -v '^Ring<[^>]*>::~\?Ring \|Base::Base\|Derived::Derived\|~Base\|~Derived\|^_GLOBAL_\|^__static_init' | LC_ALL=C sort
}

# What macros of fisql_trace.h left: points with their values and calls, the functions' calls, and how many pauses.
trace_rows() { # DB
    sql "$1" "SELECT n.kind, n.level, n.label, n.line, CASE n.kind WHEN 'message' THEN n.text END, v.position, v.name,
          CASE typeof(v.value) WHEN 'real' THEN printf('%.12g', v.value) ELSE v.value END, f.name
        FROM notes n LEFT JOIN note_values v ON n.id = v.note_id LEFT JOIN calls c ON c.id = n.call_id
          LEFT JOIN frames fr ON fr.id = c.frame_id LEFT JOIN functions f ON f.id = fr.function_id ORDER BY n.id, v.position;
        SELECT f.name, calls FROM function_stats JOIN functions f ON f.id = function_id ORDER BY 1;
        SELECT count(*) || ' pauses' FROM pauses"
}

# Sums up what processes of a program printed (report() in count.h), in the order of counts().
expected() { # FILE
    awk '{ calls[$1] += $2 } END { for (name in calls) print name, calls[name] }' "$1" | LC_ALL=C sort
}

# calls_of DB FUNCTION...: how often they were called, all together
calls_of() {
    local db=$1
    shift
    sql "$db" "SELECT coalesce(sum(s.calls), 0) FROM function_stats s JOIN functions f ON f.id = s.function_id
               WHERE f.name IN ($(printf "'%s'," "$@" | sed 's/,$//'))"
}

# The ways in which real programs are recorded; set_way WAY sets way_options to those of fisql record.
# shellcheck disable=SC2034 # used by the tests
recording_ways="calls values locks faults ring"
# shellcheck disable=SC2034
set_way() {
    case $1 in
        calls) way_options=() ;;
        values) way_options=(--values) ;;
        locks) way_options=(--locks) ;;
        faults) way_options=(--fault 'malloc nth=1000000000: fail') ;; # a rule that never strikes
        ring) way_options=(--ring 512K) ;;
    esac
}
