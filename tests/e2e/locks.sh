#!/bin/bash
# record --locks: orders of locks that can deadlock are found and others are not, waits, holds and misuse are what the
# program itself counts, and the program does what it does without.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

rings() { sql "$1" "SELECT count(DISTINCT cycle) FROM lock_cycles WHERE by_place = 0"; }
misuses() { sql "$1" "SELECT count(*) FROM lock_misuses"; }

# Each case of tests/programs/locks.cc: how many rings there are, and nothing is misused.
build g++ locks -std=c++17 -g -O1 "$programs/locks.cc"
./locks >cases
at_least "there are cases" 50 "$(wc -l <cases)"
while read -r name expected; do
    "$fisql" record -q -o run.bin --locks ./locks "$name" && "$fisql" load -q -o "$name.db" run.bin
    same "order: $name" "$expected rings, 0 misuses" "$(rings "$name.db") rings, $(misuses "$name.db") misuses"
done <cases
same "a ring's steps come with both stacks" "2 2" "$("$fisql" query lock-order two.db --demangle short --format json |
    jq -r '[[.[] | select(.stack | test("both<Mutex, Mutex> => Mutex::lock$"))], [.[] | select(.held_stack | test("both<Mutex, Mutex> => Mutex::lock$"))]] | map(length) | join(" ")')"
