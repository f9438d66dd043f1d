#!/bin/bash
# Three of git's own test scripts, with git from Debian's source package, recorded in each way: hundreds of short
# processes, run by shells, with files, pipes and signals between them. Each script ends with the output, the messages
# and the exit status that it has without a recording; each process that git's own trace (GIT_TRACE2_EVENT) names is
# recorded, and so is each start that the trace holds.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2

root=$(echo "$sources"/git/git-*/)
[ -d "$root" ] || { not_ok "git's source is there: run tests/setup real"; exit 0; }
cp -r "$root" git
make -s -j2 -C git CC="$fisql cc gcc" CFLAGS="-O1 -g -w" NO_CURL=1 NO_EXPAT=1 NO_TCLTK=1 NO_GETTEXT=1 NO_OPENSSL=1 \
    NO_PERL=1 NO_PYTHON=1 NO_ICONV=1 all >build.log 2>&1
report $? "git builds" "$(tail -n 5 build.log)"
[ -x git/git ] || exit 0
scripts="t0000-basic t3200-branch t5300-pack-object"

# run_script MODE SCRIPT COMMAND...: by COMMAND, in a folder of its own; its output, messages and exit status go to
# MODE-SCRIPT.out, .err and .status, and git's trace to a file for each process in MODE-SCRIPT.trace
run_script() {
    local name=$1-$2 script=$2
    shift 2
    mkdir -p "$name.trace" "$name.trash"
    (cd git/t && GIT_TRACE2_EVENT=$TEST_TMP/$name.trace timeout 600 "$@" "./$script.sh" --root="$TEST_TMP/$name.trash") \
        >"$name.out" 2>"$name.err" </dev/null
    echo $? >"$name.status"
    rm -rf "$name.trash"
}
starts() { # MODE-SCRIPT: how many the trace has
    find "$1.trace" -type f -exec cat {} + | grep -c '^{"event":"start"'
}
traced() { # MODE-SCRIPT: the processes of the trace, whose files are named TIME-HASH-PPID, in hexadecimal digits
    find "$1.trace" -type f -printf '%f\n' | sed 's/.*-P//' | while read -r number; do echo $((16#$number)); done | sort -u
}

# whole MODE SCRIPT: it went as the plain one, the log loads, and every process is there
whole() {
    local name=$1-$2 part
    for part in out err status; do
        same "$2, $1: its $part is that of the plain one" "" "$(diff "plain-$2.$part" "$name.$part" 2>&1 | head -n 20)"
    done
    "$fisql" load -q -o "$name.db" "$name.bin" 2>"$name.load"
    local status=$?
    # How long a process's first calls wait for the debug information is limited: on a busy machine some are not waited
    # for, which is then said.
    local late="reason = 'arguments and results not recorded' AND detail LIKE '%made before fisql record had read%'"
    [ "$1" = values ] && [ "$(sql "$name.db" "SELECT count(*) > 0 AND count(*) = sum($late) FROM losses")" = 1 ] && status=0
    same "$2, $1: loads without loss" "0 " "$status $(cat "$name.load")"
    same "$2, $1: integrity_check" ok "$(sql "$name.db" 'PRAGMA integrity_check')"
    same "$2, $1: every exit is its entry's" 0 "$(sql "$name.db" "SELECT count(*) FROM anomalies WHERE kind <> 'unwound'")"
    at_least "$2, $1: git traced itself" 100 "$(traced "$name" | wc -l)"
    same "$2, $1: every process is there" "" \
        "$(comm -23 <(traced "$name") <(sql "$name.db" 'SELECT DISTINCT pid FROM processes' | sort))"
    if [ "$1" != ring ]; then # which keeps the last calls alone
        same "$2, $1: nothing is lost" "" "$(sql "$name.db" "SELECT reason, detail FROM losses WHERE NOT ($late) LIMIT 5")"
        same "$2, $1: as many calls of trace2_cmd_start_fl as git's trace has starts" "$(starts "$name")" \
            "$(calls_of "$name.db" trace2_cmd_start_fl)"
    fi
    [ "$1" != values ] || at_least "$2, $1: values are recorded" 1000 "$(sql "$name.db" 'SELECT count(*) FROM call_values')"
    rm -f "$name.bin" "$name.db"
}

# each COMMAND MODE: COMMAND MODE SCRIPT for each script, side by side; prints what they print in order
each() {
    local script
    for script in $scripts; do "$1" "$2" "$script" >"$script.said" 2>&1 & done
    wait
    for script in $scripts; do cat "$script.said"; done
}
plain() { run_script "$1" "$2" env; }
recorded() { run_script "$1" "$2" "$fisql" record -q -o "$TEST_TMP/$1-$2.bin" "${way_options[@]}"; }

each plain plain
for script in $scripts; do
    same "$script, plain: it passes" "0 # passed all" "$(cat "plain-$script.status") $(grep -o '^# passed all' "plain-$script.out")"
    same "$script, plain: it says nothing on stderr" "" "$(cat "plain-$script.err")"
    at_least "$script, plain: it runs git hundreds of times" 100 "$(starts "plain-$script")"
done
for mode in $recording_ways; do
    set_way "$mode"
    # The shells that run the scripts have no debug information, and so no values, which would be said.
    [ "$mode" != values ] || way_options+=(--no-patch)
    each recorded "$mode"
    each whole "$mode"
done
