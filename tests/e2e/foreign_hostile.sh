#!/bin/bash
# Recordings of other tools that are wrong on purpose, or damaged at random: a load ends in time, within its memory, with
# a sound database or with none and words that name the file.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export PYTHONDONTWRITEBYTECODE=1
foreign=$here/tests/corrupt/foreign.py
memory_kb=1500000
case ${ASAN_OPTIONS-}${SANITIZE-}$FISQL_BUILD in *asan*) memory_kb=unlimited ;; esac # its shadow has terabytes of addresses

# load FILE: sets status, err, and problem, which is empty where all is well
load() {
    rm -f loaded.db
    run timeout 60 bash -c "ulimit -v $memory_kb; exec \"\$@\"" - "$fisql" load --threads 1 -o loaded.db "$1"
    problem=
    if [ "$status" -gt 2 ]; then
        problem="status $status"
    elif [ "$status" -eq 2 ]; then
        [ ! -e loaded.db ] || problem="a database although it failed"
        [[ $err == "fisql: $1"* ]] || problem="does not name the file: $err"
    else
        [ "$(sql loaded.db 'PRAGMA integrity_check')" = ok ] || problem="its database is not sound"
        [ "$(sql loaded.db 'SELECT count(*) FROM calls WHERE duration_ns < 0 OR children_ns > duration_ns')" = 0 ] || problem="times contradict one another"
    fi
    [ -z "$(find . -name '.fisql*')" ] || problem="leaves a temporary file"
}

mkdir hostile && python3 "$foreign" hostile hostile
at_least "there are hostile recordings" 20 "$(find hostile -type f | wc -l)"
for file in hostile/*; do
    load "$file"
    same "$file: ends as it should" "" "$problem"
    cat -v <<<"$err" >shown
    same "$file: what is said has no control characters" "$err" "$(cat shown)"
done
load hostile/begins.json
same "slices that never end are open calls" 49999 "$(sql loaded.db 'SELECT count(*) FROM calls WHERE ended = 2')"
load hostile/names.json
same "names are as they are, escaped where they are shown" 10 "$(sql loaded.db 'SELECT count(*) FROM function_stats')"
lacks "no escape character reaches the terminal" $'\033' "$("$fisql" query functions loaded.db 2>&1)"
load hostile/twice.json
same "two arrays of events are both read" 1 "$(sql loaded.db 'SELECT count(*) FROM calls')"

# damage by chance, the same each time
mkdir seeds && python3 "$foreign" seeds seeds
python3 "$here/tests/corrupt/perfetto.py" kinds seeds/kinds.perfetto
ways=$(share 40)
for seed in seeds/*; do
    problems=
    for number in $(seq 1 "$ways"); do
        python3 "$foreign" flip "$seed" "flipped.${seed##*.}" "$number"
        load "flipped.${seed##*.}"
        [ -z "$problem" ] || problems+="$number: $problem
"
    done
    same "${seed##*/}: damaged in $ways ways" "" "$problems"
done
if command -v uftrace >/dev/null; then
    gcc -w -pg -g -O1 -o forks "$programs/forks.c"
    uftrace record --no-event --no-sched --no-pager -a -d forks.uftrace ./forks >/dev/null 2>&1
    problems=
    ways=$(share 60)
    for number in $(seq 1 "$ways"); do
        rm -rf flipped && cp -r forks.uftrace flipped
        files=(flipped/info flipped/task.txt flipped/*.map flipped/forks.sym flipped/forks.dbg flipped/[0-9]*.dat)
        file=${files[$((number % ${#files[@]}))]}
        [ -s "$file" ] || continue
        python3 "$foreign" flip "$file" changed "$number" && mv changed "$file"
        load flipped
        [ -z "$problem" ] || problems+="$number, $file: $problem
"
    done
    same "a folder of uftrace, damaged in $ways ways" "" "$problems"
    ln -sf /etc/passwd flipped/info
    rm -rf fifo && mkdir fifo && mkfifo fifo/info
    load fifo
    has "a FIFO in a folder is not opened" "is a folder, not a log" "$err"
fi
