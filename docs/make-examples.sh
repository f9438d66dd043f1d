#!/bin/bash
# Records docs/examples/shop.cc and writes what each query says of it to FOLDER/NAME.txt: the
# examples of docs/queries.md. Queries on arguments and results are asked of docs/examples/till.c, those on locks of
# accounts.c, growing-calls and findings of receipt.c, library-time and system-calls of the system's sort, those on objects of examples/diary.c and examples/refcount.c, those on a campaign of shop.cc's.
# make-examples.sh FISQL FOLDER [NAME...]
set -eu
fisql=$(realpath "$1") folder=$(realpath "$2")
shift 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_CONFIG_HOME=$tmp/config
queries=$folder/../../queries
cp "$folder/shop.cc" "$folder/till.c" "$folder/accounts.c" "$folder/receipt.c" "$tmp"
cd "$tmp"
"$fisql" cc g++ -O1 -o shop shop.cc -lpthread
"$fisql" record -q ./shop >/dev/null || true # the program's own status is none of ours
"$fisql" load -q run.bin
"$fisql" cc gcc -O1 -o till till.c
"$fisql" record -q --values -o till.bin ./till >/dev/null
"$fisql" load -q till.bin
"$fisql" record -q --fault 'price_of nth=3: return -1' --fault 'malloc nth=2 in main: mark' -o faults.bin ./till >/dev/null || true # as it likes
"$fisql" load -q -o faulty.db faults.bin
"$fisql" cc gcc -O1 -o accounts accounts.c -lpthread
"$fisql" record -q --locks -o locks.bin ./accounts >/dev/null
"$fisql" cc gcc -O1 -o receipt receipt.c
"$fisql" record -q -o receipt.bin ./receipt
"$fisql" load -q receipt.bin
"$fisql" load -q locks.bin
"$fisql" record -q --fault 'malloc nth=1 in main: return 0' -o crash.bin ./till >/dev/null 2>&1 || true # it does not look
"$fisql" load -q -o crash.db crash.bin
"$fisql" cc g++ -O1 -g -w -o frees "$folder/frees.cc"
"$fisql" record -q -o frees.bin ./frees >/dev/null 2>&1
"$fisql" load -q frees.bin
seq 20000 | tac >numbers
"$fisql" record -q --library-calls -o sort.bin sort numbers >/dev/null 2>&1
"$fisql" load -q sort.bin
for program in diary refcount; do
    CPATH=$folder/../../collector "$fisql" cc gcc -O1 -o "$program" "$folder/../../examples/$program.c" -lpthread
    "$fisql" record -q -o "$program.bin" "./$program" >/dev/null 2>&1
    "$fisql" load -q "$program.bin"
done
"$fisql" faults --calls malloc,realloc,pthread_create -o campaign.db ./shop >/dev/null 2>&1
[ $# -gt 0 ] || mapfile -t all < <("$fisql" query --names)
for query in "$@" ${all[@]+"${all[@]}"}; do
    of=()
    ! grep -q '^-- needs: *values' "$queries/$query.sql" || of=(till.db)
    ! grep -q '^-- needs: *experiments' "$queries/$query.sql" || of=(campaign.db)
    [ "$query" != incidents ] || of=(crash.db)
    [[ "$query" != growing-calls && "$query" != findings ]] || of=(receipt.db)
    case $query in
        faults) of=(faulty.db) ;;
        library-time | system-calls) of=(sort.db) ;;
        diaries) of=(diary.db) ;;
        reference-errors) of=(refcount.db) ;;
        parallel-candidates) of=(-p min_share=1 -p min_mean_ns=100) ;;
        proxies | single-callee | tight-calls) of=(-p inlined=1) ;;
        complexity) of=(-p min_modes=3 -p max_share=95) ;;
        double-frees | bad-frees | mismatched-frees) of=(frees.db) ;;
    esac
    ! grep -q '^-- needs: *locks' "$queries/$query.sql" || of=(locks.db)
    {
        echo "\$ fisql query" "$query" ${of[@]+"${of[@]}"} "--limit 5 --demangle short"
        "$fisql" query "$query" ${of[@]+"${of[@]}"} --limit 5 --demangle short 2>&1 | sed "s|$tmp|/home/you|g" | cut -c 1-180 | sed 's/ *$//'
    } >"$folder/$query.txt"
done
