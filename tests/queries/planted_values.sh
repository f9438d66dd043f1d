#!/bin/bash
# The queries on arguments and results on docs/examples/till.c, where it is known what each must find: with gcc and
# clang, at -O0 and -O2.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2

# rows NAME COLUMNS OPTION...: the named columns of a query's rows, separated by spaces
rows() {
    local name=$1 columns=$2
    shift 2
    "$fisql" query "$name" run.db --format json "$@" | python3 -c '
import json, sys
for row in json.load(sys.stdin):
    print(*[row[column] for column in sys.argv[1].split(",")])' "$columns"
}

for compiler in gcc clang; do
    for level in -O0 -O2; do
        with="$compiler $level"
        build $compiler till $level -g "$here/docs/examples/till.c" || continue
        "$fisql" record -q --values ./till >/dev/null
        "$fisql" load -q run.bin
        [ "$(sql run.db 'SELECT count(*) > 8 FROM parameters')" = 1 ] || { not_ok "values are recorded ($with)"; continue; }
        # What the compiler leaves no trace of is not known, so a query may find less; never something else.
        within() { # WHAT ALLOWED ACTUAL
            same "$1 ($with)" "" "$(grep -vxFf <(printf '%s\n' "$2") <<<"$3")"
        }
        within "constant-arguments" "add_line verbose" "$(rows constant-arguments function,parameter)"
        within "failing-calls" "price_of 8 4 4 give_back
price_of 8 4 0 None" "$(rows failing-calls function,failures,passed_on,dropped,dropped_by)"
        within "repeated-arguments" "tax_of 3 293" "$(rows repeated-arguments function,distinct_arguments,same_calls -p min_ns=0 --function tax_of)"
        within "cost-by-argument" "count_doubles n quadratically" "$(rows cost-by-argument function,parameter,grows --function count_doubles)"
        within "slow-arguments" "print_on paper PHOTO 10" "$(rows slow-arguments function,parameter,value,calls --function print_on)"
        within "handles" "never given back receipt_new receipt_free 4" "$(rows handles problem,gave,took,times)"
        within "argument-types" "add_line verbose always 0
discounted percent always whole" "$(rows argument-types function,parameter,finding)"
        within "arguments: n of count_doubles" "332 16 4 64" \
            "$(rows arguments calls,distinct_values,least,greatest --function count_doubles | grep -v None)"
        within "results: price_of failed" "400 -1" "$(rows results calls,least --function price_of)"
        [ "$with" = "gcc -O0" ] || continue
        same "all of them find something at -O0" "" "$(for query in constant-arguments failing-calls repeated-arguments cost-by-argument \
            slow-arguments handles argument-types; do [ -n "$("$fisql" query $query run.db --format csv | sed 1d)" ] || echo $query; done)"
    done
done
