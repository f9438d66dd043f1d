# Shared by the end-to-end tests: sourced, not run. Checks print `ok - what` or `not ok - what`.
# shellcheck shell=bash
set -u
export LC_ALL=C.UTF-8
fisql=$FISQL_BUILD/fisql
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd) # the repository
export fisql here

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
