#!/bin/bash
# A short program with a pattern for each query about call structure (tests/programs/patterns.c): each query finds rows
# with its defaults, or says how many a rule hides and which setting shows them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

# functions NAME OPTION...: the first column of the rows
functions() {
    local name=$1
    shift
    "$fisql" query "$name" run.db --format csv "$@" 2>/dev/null | sed 1d | cut -d, -f1
}

for level in -O0 -O2; do
    build gcc patterns $level -g "$programs/patterns.c" || continue
    "$fisql" record -q ./patterns
    rm -f run.db
    "$fisql" load -q run.bin
    at_least "the program makes $(sql run.db 'SELECT sum(calls) FROM threads') calls ($level)" 2500 "$(sql run.db 'SELECT sum(calls) FROM threads')"
    for query in $(cd "$here/queries" && grep -l '^-- group: *Inlining and call structure' -- *.sql); do
        query=${query%.sql}
        if [ -n "$(functions "$query")" ]; then
            ok "$query finds something ($level)"
            continue
        fi
        "$fisql" query "$query" run.db >rows 2>words
        # The settings of the sentences: those of one that several rules hide belong together.
        together=$(sed -n 's/.*each by several thresholds: //p' words)
        [ -n "$together" ] || together=$(grep 'left out' words | grep -o -- '-p [a-z_]*=[0-9]*' | tr '\n' ' ')
        has "$query is empty, and says what it leaves out ($level)" "left out" "$(cat words)"
        # shellcheck disable=SC2086 # options
        at_least "$query shows rows then ($level)" 1 "$(functions "$query" $together | wc -l)"
    done
    # What is planted, with what the sentences name where there is one. The run takes milliseconds: on a busy machine an
    # interruption of a call weighs as much as a hundred calls.
    same "complexity: many_ways ($level)" many_ways "$(functions complexity -p min_size=0)"
    same "wide-functions: wide ($level)" wide "$(functions wide-functions -p min_size=0)"
    same "proxies: pass_on ($level)" pass_on "$(functions proxies -p inlined=1 -p max_self_ns=100000)"
    same "single-callee: only_helps among them ($level)" only_helps "$(functions single-callee -p inlined=1 | grep only_helps)"
    same "tight-calls: square among them ($level)" square "$(functions tight-calls -p inlined=1 -p max_mode_ns=100000 -p min_share=0 -p min_saved=0 | grep -x square)"
    same "inline-candidates: square among them ($level)" square \
        "$("$fisql" query inline-candidates run.db --format csv -p inlined=1 -p max_self_ns=100000 -p min_share=0 | grep -o 'square' | head -n 1)"
    same "repeated-calls: square in sum ($level)" "sum,square" \
        "$("$fisql" query repeated-calls run.db --format csv --demangle short -p inlined=1 -p min_total_ns=0 -p min_share=0 2>/dev/null | cut -d, -f1,3 | grep square)"
    same "recursion: fall, and ping with pong ($level)" "fall ping" \
        "$(functions recursion | sed 's/pong/ping/' | sort -u | paste -sd' ')"
    same "call-order: change after lock, and unlock after change ($level)" "change lock before
unlock change directly" "$("$fisql" query call-order run.db --format csv --demangle short -p min_size=0 2>/dev/null | awk -F, '$1 ~ /^(change|unlock)$/ { print $1, $3, $5 }' | sort)"
    same "finalizers: tear_down ($level)" tear_down "$(functions finalizers -p min_share=0 -p heavy=1 | grep -x tear_down)"
    same "initializers: set_up ($level)" set_up "$(functions initializers -p min_share=0 | grep -x set_up)"
done
