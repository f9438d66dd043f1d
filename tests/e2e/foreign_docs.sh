#!/bin/bash
# The commands that docs/foreign.md shows run as they stand.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
PATH=$FISQL_BUILD:$PATH
for tool in uftrace clang++; do
    command -v $tool >/dev/null || {
        echo "skipped - docs/foreign.md: there is no $tool"
        exit 0
    }
done
printf '#include <map>\n#include <string>\nstd::map<std::string, int> table(int n) { return {{std::to_string(n), n}}; }\n' >table.cc
cat >fib.c <<'C'
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(6) != 8; }
C
# Lines that begin with a prompt; what is indented further belongs to them.
awk '/^    \$ / { if (command != "") print command; command = substr($0, 7); next }
     /^        / && command != "" { sub(/^ +/, " "); command = command $0; next }
     { if (command != "") print command; command = "" }
     END { if (command != "") print command }' "$here/docs/foreign.md" >commands
at_least "there are commands" 7 "$(wc -l <commands)"
while read -r command; do
    run bash -c "$command"
    same "$command" 0 "$status"
    case $command in
        'fisql tree'* | 'fisql trace'* | sqlite3*) at_least "it shows something: $command" 2 "$(wc -l <"$TEST_TMP/out")" "$out" ;;
    esac
done <commands
has "the headers that took longest are named" "/map|" "$(bash -c "$(grep sqlite3 commands)")"
has "the trace has arguments and results" "fib(n=6) = 8" "$(bash -c "$(grep 'fisql trace' commands)")"
