#!/bin/bash
# fisql's own calls fail, one in each run: memory, files, threads, SQLite. load, query and push end with an error and
# leave what was there, or with what they give without the fault. Each third or so of the places where fisql makes such calls
# here; all of them, and far more calls, in tests/real/self_faults.sh.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export PYTHONDONTWRITEBYTECODE=1

case $FISQL_BUILD in
*asan*)
    echo "skipped - fisql's own calls fail: ASan has a malloc of its own"
    exit 0
    ;;
esac
gcc -O1 -g -w -fPIC -shared -o failing.so "$here/tests/tools/failing.c" -ldl
build gcc halves -g -O0 "$programs/halves.c" -lpthread || exit 0
mkdir starts
"$fisql" record -q --values --locks -o other.bin ./halves 2>/dev/null
"$fisql" record -q --values --locks -o starts/run.bin ./halves 2>/dev/null
"$fisql" load -q --threads 1 other.bin
"$fisql" load -q --threads 1 starts/run.bin
same "the fleet has another run" 0 "$("$fisql" push -q starts/fleet.db other.db; echo $?)"

# sweep COMMAND WORD...: prints what went wrong, then how many failed
sweep() {
    local command=$1
    shift
    run python3 "$here/tests/tools/self_faults.py" "$fisql" failing.so starts "$@" "$command"
    report "$status" "$command: ${out##*$'\n'}" "$out$err"
    at_least "$command: calls failed" 20 "$(sed -n "s/^$command: \([0-9]*\) of .*/\1/p" <<<"$out")"
}
# WHOLE=yes: each place, and each N-th call of all
if [ -n "${WHOLE-}" ]; then
    for command in load again query push add; do
        sweep $command
        sweep $command --all --every 97
    done
else
    sweep load --every 9
    sweep again --every 30 --from 4
    sweep query --every 5
    sweep push --every 11
    sweep add --every 20 --from 3
fi
