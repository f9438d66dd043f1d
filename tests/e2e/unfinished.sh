#!/bin/bash
# What is made of a log or a database: readable by nobody who may not read that, from its first moment
# on; and gone when a signal ends fisql before it is whole.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 1
export XDG_CACHE_HOME=$TEST_TMP/cache
build gcc hungry -O1 -g "$programs/hungry.c"
"$fisql" record -q -o run.bin ./hungry plain >/dev/null
"$fisql" load -q run.bin
umask 022

page_built "who may read a page, and one half-made" && made_pages=made.html || made_pages=
# mode FILE...: each mode that there is among the files, and whether one is missing
mode() { { stat -c %a "$@" 2>/dev/null || echo missing; } | sort -u | tr '\n' ' '; }
made_of() { # LOG MODE, DATABASE MODE: what is made of them
    rm -f made.*
    chmod "$1" run.bin
    "$fisql" load -q -o made.db run.bin
    chmod "$2" run.db
    "$fisql" export --format folded -o made.folded run.db
    [ -z "$made_pages" ] || "$fisql" report -o made.html run.db 2>/dev/null
    "$fisql" review -o made.md --picture made.svg run.db
    [ -z "$made_pages" ] || "$fisql" report --diff run.db made.db -o made.diff.html 2>/dev/null
    mode made.db made.folded $made_pages made.md made.svg
}
same "of a log and a database for the owner alone: the same" "600 " "$(made_of 600 600)"
[ -z "$made_pages" ] || same "the page of two: for those who may read both" "600 " "$(mode made.diff.html)"
same "of those that all may read: all may" "644 " "$(made_of 644 644)"
[ -z "$made_pages" ] || same "the page of two: all may" "644 " "$(mode made.diff.html)"
same "of those that the group may read: the group may" "640 " "$(made_of 640 640)"
same "the umask takes away" "600 " "$(umask 077; made_of 644 644)"
same "what cannot be written is made so that it can be" "600 " "$(made_of 400 400)"
chmod 600 run.db
touch made.folded && chmod 644 made.folded
"$fisql" export --format folded -o made.folded run.db
same "what stood there for all to read is replaced by what they may not" "600 " "$(mode made.folded)"
if [ "$(id -u)" -eq 0 ]; then
    chgrp 12345 run.bin run.db
    same "where the group is another one it may not, unless all may" "600 " "$(made_of 640 640)"
    same "where all may, the group may" "644 " "$(made_of 644 644)"
    chgrp 0 run.bin run.db
else
    echo "# skipped: another group's files need root"
fi
chmod 600 run.bin run.db

# From the first moment on: whoever looks while it is made sees no more.
cat >watch.py <<'P'
import os, subprocess, sys
maker = subprocess.Popen(sys.argv[2:], stderr=subprocess.DEVNULL)
seen = set()
while maker.poll() is None:
    for entry in os.scandir(sys.argv[1]):
        try:
            seen.add("%o" % (entry.stat().st_mode & 0o777))
        except FileNotFoundError:
            pass
print(" ".join(sorted(seen)))
P
mkdir watched
umask 0
same "a database that is being made is nobody else's at any moment" 600 \
    "$(python3 watch.py watched "$fisql" load -q -o watched/run.db run.bin)"
rm -f watched/*
same "nor is an export" 600 "$(python3 watch.py watched "$fisql" export --format chrome -o watched/x.json run.db)"
umask 022
rm -rf watched

# Ended by a signal at any moment: nothing half-made stays, what stood there stays as it was.
mkdir out && cd out || exit 1
interrupted() { # WHAT SIGNAL COMMAND...: stopped in the midst by a slow disk would do; here by luck of time
    local what=$1 signal=$2 litter='' killed=0 moment
    shift 2
    for moment in 0.005 0.01 0.02 0.03 0.05 0.08; do
        env --default-signal=INT,HUP,TERM,PIPE "$@" >/dev/null 2>&1 & # whatever the tests were started by
        sleep $moment
        kill -s "$signal" $! 2>/dev/null
        wait $! 2>/dev/null
        [ $? -gt 128 ] && killed=$((killed + 1))
        litter="$litter$(find . -name '*.*-*' -o -name '*.png.*'; find ../cache -name '*.*[0-9].*' 2>/dev/null)"
    done
    same "$what, SIG$signal: nothing half-made is left" "" "$litter"
    at_least "$what, SIG$signal: it was ended" 1 "$killed"
}
# Background jobs of a shell without job control ignore SIGINT.
set -m
for signal in INT TERM HUP; do
    interrupted load $signal "$fisql" load -q -o x.db ../run.bin
    interrupted export $signal "$fisql" export --format chrome -o x.json ../run.db
done
interrupted load PIPE "$fisql" load -q -o x.db ../run.bin
[ -z "$made_pages" ] || interrupted report TERM "$fisql" report -o x.html ../run.db
interrupted review TERM "$fisql" review -o x.md --picture x.png ../run.db
(trap '' HUP; exec "$fisql" load -q -o x.db ../run.bin) &
sleep 0.02
kill -HUP $!
wait $!
same "a signal that is ignored stays so (nohup)" 0 $?
set +m

# What SIGKILL leaves goes with the next load of the same database, if its maker is gone.
rm -f ./*
sleep 1000 &
alive=$!
touch "x.db.loading-$alive" x.db.loading-4194300 other.db.loading-4194300 x.db.loading-notes
"$fisql" load -q -o x.db ../run.bin
same "a load removes what killed loads of the same database left, and nothing else" \
    "other.db.loading-4194300 x.db x.db.loading-$alive x.db.loading-notes" "$(echo *)"
kill $alive
