#!/bin/bash
# fisql modules: a map of one's own, and who goes by it: queries, filters, diff, the exported graph, the page's data.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
source=$programs/modules

build gcc libpack.so -g -shared -fPIC "$source/pack.c"
build gcc parts -g "$source/main.c" "$source/net/http.c" "$source/db/store.c" ./libpack.so -Wl,-rpath,"$TEST_TMP"
for requests in 10 30; do
    "$fisql" record -o $requests.bin ./parts $requests >/dev/null 2>&1
    "$fisql" load $requests.bin -o $requests.db 2>/dev/null
done
cp 10.db run.db
json() { "$fisql" "$@" --format json 2>/dev/null; } # COMMAND...

# without a map: the program and its libraries
same "without a map: the program and its library" "parts library 6 61
libpack.so library 1 10" "$(json modules run.db | jq -r '.[] | "\(.module) \(.source) \(.functions) \(.calls)"')"
run "$fisql" modules run.db
has "... which it says" "run.db: has no map: these are the program and its libraries" "$err"

# the first pattern that fits says the module, by name, file or library
cat >map <<'M'
# the program's parts
web:     fn:http_*
network: net/*              # what the name did not take
storage: db/*.c, lib:libpack*
idle:    fn:absent, file:net/http.c
M
run "$fisql" modules run.db --map map
same "a map is taken" 0 "$status"
has "a pattern that fits no function is named with its line" "map:5: fn:absent fits no function that the patterns before it leave" "$err"
has "... and one whose functions others took" "map:5: file:net/http.c fits no function" "$err"
has "what no pattern fits is counted" "2 functions (2 called) fit no pattern" "$err"
expected="web map 1 1 10
network map 1 1 10
storage map 3 3 40
idle map 0 0 0
parts library 2 2 11"
same "functions and calls by module, in the map's order" "$expected" \
    "$(json modules run.db | jq -r '.[] | "\(.module) \(.source) \(.functions) \(.called) \(.calls)"')"
same "the self times of all modules are the run's" "$(sql run.db 'SELECT sum(self_ns) FROM function_stats')" \
    "$(json modules run.db | jq '[.[].self_ns] | add')"
same "--rest lists what no pattern fits" "clamp 10
main 1" "$(json modules run.db --rest | jq -r '.[] | "\(.function) \(.calls)"' | sort)"
same "the view has the module and the library" "net_read network parts
pack storage libpack.so
main parts parts" "$(sql run.db "SELECT name || ' ' || module || ' ' || library FROM function_details WHERE name IN ('net_read', 'pack', 'main')
    ORDER BY module = 'parts', name")"
same "the database is sound" ok "$(sql run.db 'PRAGMA integrity_check')"

# patterns fit as the filters of the queries do
for pattern in 'http.c' '*/net/*' 'db/*' "$source/main.c" 'src/none.c'; do
    echo "x: $pattern" >one && cp 10.db one.db && "$fisql" modules one.db --map one >/dev/null 2>&1
    same "file:$pattern fits as --file does" "$(json query functions --file "$pattern" 10.db | jq -r '.[].function' | sort)" \
        "$(json query functions --module x one.db | jq -r '.[].function' | sort)"
done
for pattern in 'db_*' pack '*_read' 'd[ab]_?et'; do
    echo "x: fn:$pattern" >one && cp 10.db one.db && "$fisql" modules one.db --map one >/dev/null 2>&1
    same "fn:$pattern fits as --function does" "$(json query functions --function "$pattern" 10.db | jq -r '.[].function' | sort)" \
        "$(json query functions --module x one.db | jq -r '.[].function' | sort)"
done

# queries and their filter
same "a query's column module" "storage" "$(json query functions --function db_get run.db | jq -r '.[].module')"
same "--module takes a name of the map" "db_get db_put pack" \
    "$(json query functions --module storage run.db | jq -r '.[].function' | sort | xargs)"
same "... also where the result has no module" "db_get db_put pack" \
    "$(json query callers --module storage run.db | jq -r '.[].function' | sort -u | xargs)"
run "$fisql" query functions --module libpack.so run.db
same "a library whose functions all have a module of the map is none" 2 "$status"
has "... with the names that are" "--module libpack.so: no such module" "$err"
same "the query modules: calls between them" "web storage 30
parts web 10
web network 10
web parts 10" "$(json query modules -p by=module run.db | jq -r '.[] | select(.kind == "between") | "\(.from_group) \(.to_group) \(.calls)"' | sort -k3nr -k1,2)"
same "coverage by module" "network 1
parts 2
storage 3
web 1" "$(json query coverage -p by=module run.db | jq -r '.[] | "\(.module) \(.called)"' | sort)"
echo 'leak:libpack.so' >suppressions
lost() { json query not-freed "$@" run.db | jq '[.[] | select(.stack | test("pack"))] | length'; }
same "a suppression means the library, whatever the map says" "1 0" "$(lost) $(lost --suppressions suppressions)"

# diff: one run's map counts for both
run "$fisql" diff run.db 30.db --modules --format json
same "diff: one run's map counts for both" "network 10 30
parts 11 31
storage 40 120
web 10 30" "$(jq -r '.[] | "\(.module) \(.calls_a) \(.calls_b)"' <<<"$out" | sort)"
has "... which it says" "30.db has no map of modules" "$err"
same "diff: the module of each function" "storage" "$(json diff run.db 30.db | jq -r '.[] | select(.function == "pack") | .module')"
same "diff without a map: programs and libraries" "libpack.so 10 30
parts 61 181" "$(json diff 10.db 30.db --modules | jq -r '.[] | "\(.module) \(.calls_a) \(.calls_b)"' | sort)"
same "... and no column for it" null "$(json diff 10.db 30.db | jq -r '.[0].module')"

# the graph
"$fisql" export --format dot -o run.dot run.db 2>/dev/null
dot -Tsvg run.dot -o run.svg 2>err
same "dot: graphviz draws a box around the functions of a module" "network storage web" \
    "$(sed -n '/class="cluster"/,/<\/g>/s/.*<text[^>]*>\([^<]*\)<.*/\1/p' run.svg | sort | xargs)$(cat err)"
same "mermaid: and so does it" 3 "$("$fisql" export --format mermaid run.db 2>/dev/null | grep -c '^  subgraph ')"
same "dot without a map: no such box" 0 "$("$fisql" export --format dot 10.db 2>/dev/null | grep -c subgraph)"
if page_built "the page's graph"; then
    "$fisql" report -o run.html run.db 2>/dev/null
    data=$(sed -n 's/.*<script type="application\/json" id="data">\(.*\)<\/script>.*/\1/p; ' run.html)
    [ -n "$data" ] || data=$(tr -d '\n' <run.html | sed 's/.*id="data"[^>]*>//; s/<\/script>.*//')
    same "the page's data: calls between modules" "web storage 30" \
        "$(jq -r '.module_edges.rows[] | select(.[0] == "web" and .[1] == "storage") | "\(.[0]) \(.[1]) \(.[2])"' <<<"$data")"
    same "... and their boxes" "network parts storage web" "$(jq -r '.module_nodes.rows[][0]' <<<"$data" | sort | xargs)"
fi

# a second map takes the first one's place; --forget takes it away
echo 'all: *' >all
"$fisql" modules run.db --map all >/dev/null 2>&1
same "a second map takes the place of the first" "all" "$(sql run.db 'SELECT DISTINCT module FROM function_details WHERE file IS NOT NULL')"
run "$fisql" modules run.db --forget
same "--forget prints nothing" "0" "$status$out$err"
same "... and leaves the database as it was" "$(sql 10.db .dump | grep -v 'CREATE VIEW' | md5sum)" \
    "$(sql run.db .dump | grep -v 'CREATE VIEW' | md5sum)"

# maps that are wrong are named with their line, and change nothing
"$fisql" modules run.db --map map >/dev/null 2>&1
before=$(md5sum <run.db)
wrong() { # WHAT MESSAGE TEXT
    printf '%b' "$3" >wrong
    run "$fisql" modules run.db --map wrong
    same "$1: exit status" 2 "$status"
    has "$1" "$2" "$err"
}
wrong "no colon" "wrong:2: net: wants NAME: PATTERN" 'a: b\nnet\n'
wrong "no name" "wrong:1: has no name before the colon" ': net/*\n'
wrong "no pattern" "wrong:3: net: has an empty pattern" '\n\nnet:\n'
wrong "an empty pattern among others" "wrong:1: net: has an empty pattern" 'net: a,,b\n'
wrong "an unknown kind" "wrong:1: func: is no kind of pattern: file:, fn: and lib: are" 'net: func:a*\n'
wrong "a name that is a pattern" "wrong:1: n*: a module's name has no *" 'n*: a\n'
wrong "a name with a colon" "wrong:1: a: a module's name has no colon" 'a::b: c\n'
wrong "a control character" "wrong:1: has bytes that are no text" 'a: b\x1b[0m\n'
wrong "what is no UTF-8" "wrong:2: has bytes that are no text" 'a: b\nc: \xff\n'
wrong "a byte 0" "wrong:1: has a byte 0" 'a: b\0c\n'
wrong "a long pattern" "wrong:1: names and patterns have at most 1000 bytes" "a: $(printf 'x%.0s' {1..1001})\n"
wrong "an empty map" "wrong: has no line NAME: PATTERN; --forget takes a map away" '# nothing\n'
run "$fisql" modules run.db --map none
same "a file that is not there" "2 fisql: none: No such file or directory: --map wants a file of NAME: PATTERN lines" "$status $err"
run "$fisql" modules run.db --map map --forget
has "both options" "--map and --forget exclude each other" "$err"
same "none of them changed the database" "$before" "$(md5sum <run.db)"

# a folder or a database that must not be written, and one that another program writes
mkdir -p locked && cp 10.db locked/run.db && chmod a+r locked/run.db map && chmod a+rx "$TEST_TMP" locked
chmod 666 locked/run.db && chmod 555 locked
others=()
[ "$(id -u)" != 0 ] || others=(setpriv --reuid=65534 --regid=65534 --clear-groups)
run "${others[@]}" "$fisql" modules locked/run.db --map map
same "a folder that cannot be written" "2 fisql: locked/run.db: cannot be changed: a change needs a journal beside it, and its folder cannot be written: copy it to another folder" "$status $err"
same "... and nothing was changed" "$(md5sum <10.db)" "$(md5sum <locked/run.db)"
chmod 444 locked/run.db
run "${others[@]}" "$fisql" modules locked/run.db --map map
same "a database that may only be read" "2 fisql: locked/run.db: cannot be changed: you may only read it: copy it, or ask its owner" "$status $err"
run "${others[@]}" "$fisql" modules locked/run.db
same "... is read" 0 "$status"
chmod 755 locked
cp 10.db busy.db
coproc writer { sqlite3 busy.db; }
# shellcheck disable=SC2154 # coproc sets it, and unsets it when the process has ended
writer_pid=$writer_PID
printf 'BEGIN IMMEDIATE;\nSELECT 1;\n' >&"${writer[1]}"
read -r _ <&"${writer[0]}"
run "$fisql" modules busy.db --map map
has "a database that another program writes" "busy.db: cannot be changed: another program reads or writes it" "$err"
eval "exec ${writer[1]}>&-"
wait "$writer_pid"
same "... and nothing of the map is in it" 0 "$(sql busy.db 'SELECT count(*) FROM module_map')"

# names of a database that somebody else made
cp run.db hostile.db
sqlite3 hostile.db "UPDATE module_map SET name = 'a' || char(27) || '[31m'; UPDATE mapped_functions SET name = 'a\"];' || char(27) || '<b>'"
"$fisql" modules hostile.db >out 2>&1
"$fisql" export --format dot hostile.db >hostile.dot 2>&1
"$fisql" export --format mermaid hostile.db >>out 2>&1
same "hostile names of modules are shown without escapes" 0 "$(cat out hostile.dot | grep -c $'\e')"
same "... and stay labels" "" "$(dot -Tsvg hostile.dot -o hostile.svg 2>&1)"
