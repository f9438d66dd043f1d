#!/bin/bash
# fisql faults: relative paths of the program, of what it reads and of what it writes lead where they lead for the user,
# and what it makes by them stays in the experiment and is compared.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

campaign() { # DB WORD...
    local database=$1
    shift
    rm -rf "$database" "$database.d"
    run timeout 300 "$fisql" faults -j 2 --calls malloc -o "$database" "$@"
}
# What the run does in which `line_new` gets no memory: outcome, detail.
without_line() { sql "$1" "SELECT outcome, detail FROM experiments JOIN frame_stacks USING (frame_id) WHERE stack = 'main => line_new'"; }
files() { find "$TEST_TMP/home" -mindepth 1 -name 'faults.db*' -prune -o ! -name again.bin -printf '%P %y %s\n' | sort; }

mkdir -p home/x/y home/project/data home/project/s/sub/deep home/project/s/empty
build gcc home/project/relative -g -O1 "$programs/relative.c" || exit 0
echo far >home/x/y/far
echo beside >home/project/data/beside
echo here >home/project/s/here
echo below >home/project/s/sub/deep/below
ln -s ../data/beside home/project/s/link
cp home/project/relative home/project/s/sub/relative
cp home/project/relative home/project/s/relative
before=$(files)
cd home/project/s || exit 2

# The program and what it reads.
reads=(here ./sub/deep/below ../data/beside ../../x/y/far ../s/here sub/../here link)
read_lines="here: here
./sub/deep/below: below
../data/beside: beside
../../x/y/far: far
../s/here: here
sub/../here: here
link: beside"
for program in ../relative ./relative sub/relative ../s/relative ../../project/relative "$PWD/relative"; do
    campaign faults.db --sample 1 "$program" "${reads[@]}"
    same "${program/#$PWD/ABSOLUTE} runs and finds its files" "0 unchanged|" "$status $(without_line faults.db)"
    has "${program/#$PWD/ABSOLUTE} fails nowhere" "faults.db: 1 unchanged" "$err"
done
for copy in "" --copy; do
    # shellcheck disable=SC2086 # a word or none
    campaign faults.db $copy --sample 1 ../relative "${reads[@]}"
    run timeout 60 "$fisql" faults --again 1
    same "--again finds them${copy:+, $copy}" "0 $read_lines" "$status $out"
done

# What it writes: no run finds what another one made, and the user's folders stay as they were.
for path in out sub/out sub/deep/out empty/out ../out ../s/out ../../out; do
    campaign faults.db ../relative here "=$path"
    shown=${path/#..\/s\//}
    same "$path is made anew in each run, and compared" "0 wrong output|the file $shown differs" "$status $(without_line faults.db)"
    lacks "$path is the same without faults" "differs between runs" "$err"
    same "$path stays in the experiment" "$before" "$(files)"
done
campaign faults.db --copy ../relative =../out
same "../out, --copy" "wrong output|the file ../out differs" "$(without_line faults.db)"
campaign faults.db ../relative +made =made/out +../made =../made/out
same "files in folders that it makes are compared" "wrong output|the file ../made/out differs" "$(without_line faults.db)"
same "and stay in the experiment" "$before" "$(files)"
run timeout 60 "$fisql" faults --again 1
same "what is made when it is run again stays there, too" "$before" "$(files)"

# Where the program is.
campaign faults.db ../relative @
has "getcwd() is in a folder of the run" "standard output differs between runs without faults" "$err"
run timeout 60 "$fisql" faults --again 1
same "with the path of the user's at its end" "$PWD/faults.db.d/again.work$PWD" "$out"
cd / || exit 2
campaign "$TEST_TMP/root.db" "${TEST_TMP#/}/home/project/relative" "${TEST_TMP#/}/home/project/data/beside"
same "a campaign in /" "0 unchanged|" "$status $(without_line "$TEST_TMP/root.db")"
run timeout 60 "$fisql" faults --again 1 -o "$TEST_TMP/root.db"
cd "$TEST_TMP/home/project/s" || exit 2

# The database elsewhere.
for database in ../faults.db sub/faults.db; do
    for copy in "" --copy; do
        # shellcheck disable=SC2086 # a word or none
        campaign "$database" $copy ../relative here =out
        same "-o $database${copy:+, $copy}" "wrong output|the file out differs" "$(without_line "$database")"
        rm -rf "$database" "$database.d"
    done
done
campaign not/there.db ../relative here
same "a database in no folder" "2 fisql: not: No such file or directory" "$status $err"

# Folders with more than links are made to.
mkdir many ../wide ../wide/s
touch many/{1..1001}
touch ../wide/{1..1001}
echo wide >../wide/named
campaign faults.db ../relative here many/1
has "a folder that is linked whole is named" "fisql: many: there are too many files" "$err"
cd ../wide/s || exit 2
cp ../../relative ../relative
campaign faults.db ../relative ../named ../../s/here =../out
has "so is one above" "wide: has too many entries" "$err"
same "what is made there is compared" "0 wrong output|the file ../out differs" "$status $(without_line faults.db)"
run timeout 60 "$fisql" faults --again 1
same "and what the command names is found" "../named: wide
../../s/here: here" "$out"
same "and nothing is left there" "" "$(find .. -name out)"

# A full folder above leaves enough for those within.
mkdir -p ../../full/s/sub
touch ../../full/{1..900} ../../full/s/sub/{1..900}
cd ../../full/s || exit 2
campaign faults.db ../../relative =sub/out
same "sub/out beneath a full folder" "wrong output|the file sub/out differs" "$(without_line faults.db)"
same "stays in the experiment" "" "$(find sub -name out)"
