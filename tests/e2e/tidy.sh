#!/bin/bash
# The rules that CONTRIBUTING.md names: include arrows, lengths, words, shellcheck.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$here" || exit 2
mapfile -t c_files < <(find base formats collector debuginfo loader live cli queries tests examples -name '*.[ch]' | sort)
mapfile -t scripts < <(grep -rlE '^#!/bin/(ba)?sh' .ci tests examples docs queries cli page --include='*' | sort)
at_least "the C files are found" 60 "${#c_files[@]}"
at_least "the scripts are found" 10 "${#scripts[@]}"

# arrows FOLDER PATTERN: includes in quotes must match the pattern
arrows() {
    local wrong
    wrong=$(grep -nE '^# *include "' "$1"/*.[ch] | grep -vE "include \"($2)\"")
    same "$1 includes only what it may" "" "$wrong"
}
# The collector: four rooms that know one another, and the features.
features="values faults locks incidents diary patch calls"
for room in core process memory told attach $features; do
    arrows collector/$room 'formats/[a-z_]+\.h|collector/(fisql|fisql_trace|[a-z]+/[a-z_0-9]+)\.h'
done
arrows base 'base/[a-z_0-9]+\.h'
arrows formats 'formats/[a-z_]+\.h'
arrows queries 'queries/[a-z_]+\.h'

# Debug information: a room includes those to its left alone, and of another room no header that is its own.
#   elf <- x86, and names, <- dwarf <- symbols <- prototypes <- recipes, expressions; symbols <- patch
rooms() { # FOLDER NAME...: a pattern for the headers of these rooms
    local folder=$1
    shift
    (IFS='|' && echo "$folder/($*)/[a-z_0-9]+\.h")
}
base='base/[a-z_0-9]+\.h'
arrows debuginfo/elf "$base|$(rooms debuginfo elf)"
arrows debuginfo/names "$base|$(rooms debuginfo names)"
arrows debuginfo/x86 "$base|$(rooms debuginfo elf x86)"
arrows debuginfo/dwarf "$base|formats/recipe\.h|$(rooms debuginfo elf x86 names dwarf)"
arrows debuginfo/symbols "$base|$(rooms debuginfo elf x86 names dwarf symbols)"
arrows debuginfo/prototypes "$base|$(rooms debuginfo elf symbols prototypes)"
recipes="$base|formats/(recipe|fault)\.h|$(rooms debuginfo elf x86 names dwarf symbols prototypes)"
arrows debuginfo/recipes "$recipes|$(rooms debuginfo recipes)"
arrows debuginfo/patch "$base|formats/patch(_left)?\.h|$(rooms debuginfo elf x86 dwarf symbols patch)"
arrows debuginfo/expressions "$recipes|$(rooms debuginfo expressions)"

# The loader's rooms: log, sqlite <- program, memory <- values <- calls <- tables <- load.c
log="formats/(log|live)\.h|$base|$(rooms loader log)"
sqlite="$base|$(rooms loader sqlite)"
program="$log|$(rooms debuginfo elf names dwarf symbols patch)|$(rooms loader program)"
memory="$log|$sqlite|$(rooms loader memory)"
values="$program|$sqlite|formats/recipe\.h|$(rooms debuginfo expressions prototypes)|$(rooms loader values)"
calls="$values|loader/memory/memory\.h|$(rooms loader calls)" # of memory its one door
tables="$calls|loader/loader\.h|$(rooms loader tables)"
arrows loader/foreign "$base|formats/log\.h|debuginfo/names/demangle\.h|$(rooms loader foreign)"
arrows loader/log "$log"
arrows loader/sqlite "$sqlite|queries/embedded\.h"
arrows loader/program "$program"
arrows loader/memory "$memory"
arrows loader/values "$values"
arrows loader/calls "$calls"
arrows loader/tables "$tables"

# A running program: names, and no table; a load reads the rest of a log there.
live="$program|live/[a-z_]+\.h"
arrows live "$live"
arrows loader "$live|$tables|loader/[a-z_]+\.h|loader/foreign/foreign\.h|queries/embedded\.h"

# The program's rooms stand on out, run; of the loader they know what it shows.
shown='formats/(log|live)\.h|base/[a-z_0-9]+\.h|loader/loader\.h|debuginfo/(symbols/symbols|recipes/recipes|recipes/hook_frames|expressions/expressions|expressions/parameters)\.h|live/[a-z_]+\.h|formats/[a-z_]+\.h|queries/embedded\.h|page/page\.h'
out="$shown|cli/out/[a-z_]+\.h"
run="$out|cli/run/[a-z_]+\.h"
arrows cli/out "$out"
arrows cli/run "$run"
for room in cc live export diff whatif history; do
    arrows cli/$room "$run|cli/$room/[a-z_]+\.h"
done
arrows cli/query "$run|cli/query/[a-z_]+\.h|cli/whatif/saving\.h" # of whatif its one door for findings
arrows cli/record "$run|debuginfo/elf/elf_file\.h|debuginfo/symbols/class_symbols\.h|debuginfo/patch/patch_(cache|symbols)\.h|debuginfo/prototypes/(exported_symbols|system_calls)\.h|cli/record/[a-z_]+\.h"
arrows cli/review "$run|cli/(review|export)/[a-z_]+\.h"
arrows cli/show "$run|cli/(show|query)/[a-z_]+\.h"
arrows cli/mcp "$run|cli/(mcp|ask|show|query|diff)/[a-z_]+\.h"
arrows cli/ask "$run|cli/(ask|query)/[a-z_]+\.h"
arrows cli/serve "$run|cli/(serve|ask|query)/[a-z_]+\.h"
arrows cli/faults "$run|cli/(faults|query)/[a-z_]+\.h"
arrows cli/report "$run|cli/(report|query|export|diff)/[a-z_]+\.h"
arrows cli/clickhouse "base/[a-z_0-9]+\.h|cli/clickhouse/[a-z_]+\.h"
arrows cli/fleet "$run|cli/(fleet|clickhouse|query|diff)/[a-z_]+\.h"
arrows cli "$run|cli/[a-z_]+\.h|cli/[a-z]+/[a-z_]+\.h"
same "no room includes what another one keeps to itself" "" "$(grep -nE '^# *include ".*_(parts|internal)\.h"' -r collector debuginfo loader live cli --include='*.[ch]' |
    awk -F: '{ folder = $1; sub("/[^/]*$", "", folder); included = $3; sub(/^[^"]*"/, "", included); sub("/[^/]*$", "", included) } folder != included')"
same "formats/log.h includes only stdint.h, stddef.h and its events" '"formats/events.h" <stddef.h> <stdint.h>' \
    "$(sed -n 's/^# *include *//p' formats/log.h | sort | tr '\n' ' ' | sed 's/ $//')"
same "formats/events.h includes only stdint.h" "<stdint.h>" "$(sed -n 's/^# *include *//p' formats/events.h)"
same "formats/live.h includes only the log's" '"formats/log.h"' "$(sed -n 's/^# *include *//p' formats/live.h)"
# What the four include of features: what their fast paths call (core/feature.h).
same "no other room of the collector names a feature" "\
collector/core/count.c values/values
collector/core/hooks_fast.h values/values_hook
collector/core/hooks_slow.c values/values
collector/core/hooks_slow.h values/values
collector/core/watch.c values/values_hook
collector/memory/alloc.c faults/faults
collector/memory/alloc_events.c locks/lock_events
collector/memory/operators.c faults/faults" \
    "$(grep -oE "^# *include \"collector/(${features// /|})/[a-z_]+" collector/{core,process,memory,told}/*.[ch] | sed -E 's/:.*"collector\// /' | LC_ALL=C sort)"
# includes_loop FOLDER: the collector's headers that include one another in a circle, in a copy of it
includes_loop() {
    grep -oE '^# *include "collector/[a-z_]+/[a-z_]+\.h"' "$1"/*/*.h | sed -E 's/^.*\/([a-z_]+\.h):.*\/([a-z_]+\.h)"$/\1 \2/' | { tsort >/dev/null; } 2>&1
}
same "the collector's headers make no circle" "" "$(includes_loop collector)"
cp -r collector "$TEST_TMP/looped" && echo '#include "collector/core/event.h"' >>"$TEST_TMP/looped/core/base.h"
has "a circle would be found" "event.h" "$(includes_loop "$TEST_TMP/looped")"
# Calls between files, as the linker sees them, make no circle but by these functions:
calls_back=(
    process_activate  # any hook may be a process's first sign of life: whether it is recorded is decided there
    fork_notice       # any event may be the first of a child that nobody has announced: it begins to be recorded there
    values_trampoline # no call: functions return there when its address is in place of their return address
    patch_sites       # no call: patched functions return there
    patch_enter_other # no call: stubs go on there where patch_enter() gives up
    capture_word      # an expression computes with values, and a value may be what an expression computes
)
calls_loop() { python3 "$here/tests/tools/call_circles.py" "$@" 2>&1; }
at_least "the object files are found" 300 "$(find "$FISQL_BUILD/obj" -name '*.o' | wc -l)"
same "calls between files make no circle" "" "$(calls_loop "$FISQL_BUILD" "${calls_back[@]}")"
(
    mkdir -p "$TEST_TMP/calls/build/obj/room" "$TEST_TMP/calls/room" && cd "$TEST_TMP/calls" || exit
    echo 'int above(void); int below(void); int above(void) { return below(); }' >room/above.c
    echo 'int above(void); int below(void); int below(void) { return above(); }' >room/below.c
    echo 'int above(void); int main(void) { return above(); }' >room/main.c
    for file in above below main; do cc -O2 -c -o build/obj/room/$file.o room/$file.c; done
)
planted='a circle of 2: room/above room/below
  room/above -> room/below: below
  room/below -> room/above: above'
same "a circle of calls would be found" "$planted" "$(cd "$TEST_TMP/calls" && calls_loop build)"
same "but for a function that is named" "" "$(cd "$TEST_TMP/calls" && calls_loop build above)"
same "and one that is named in vain would be found" "no circle needs main" "$(cd "$TEST_TMP/calls" && calls_loop build above main)"
same "what is left of a file that is gone is no call" "" "$(cd "$TEST_TMP/calls" && rm room/below.c && calls_loop build)"
# own_first FOLDER: files whose first include is not the header of their name; some have none
own_first() {
    grep -m 1 '^# *include' "$1"/*/*.c | sed -E 's/^.*\/([a-z_]+\/[a-z_]+)\.c:# *include /\1 /' |
        awk '$2 != "\"collector/" $1 ".h\""' |
        grep -vE '^(core/own "collector/core/base\.h"|core/jump_chk "collector/core/interpose\.h"|faults/faults_calls "formats/fault_calls\.h"|locks/locks_(calls|blocking) "collector/locks/locks\.h"|patch/patch_(backtrace|fast|mirror|slow) "collector/patch/patch_hook\.h")$'
}
same "each file of the collector includes its own header first" "" "$(own_first collector)"
sed -i '0,/include/s//include <errno.h>\n# include/' "$TEST_TMP/looped/core/ring.c"
same "one that does not would be found" "core/ring <errno.h>" "$(own_first "$TEST_TMP/looped")"
same "variables of other files are hidden: each use would load their address first" "" \
    "$(grep -nE '^ *extern ' collector/*/*.h | grep -vE 'extern (HIDDEN |"C")|__real_')"
same "the collector uses libc alone" "" \
    "$(grep -nE '^# *include <(sqlite3|libdwarf|dwarf|libelf|gelf|zlib|zstd|lzma|Zydis)' collector/*/*.[ch])"

# What differs between libdwarf's versions: everything else must hold for all of them.
differing='libdwarf/|<dwarf\.h>|DW_LIBDWARF_VERSION|Dwarf_Obj_Access_|dwarf_object_(init|finish)|dwarf_(dealloc_ranges|ranges_dealloc)'
same "only debuginfo/dwarf/dwarf_api knows libdwarf's version" "" \
    "$(grep -nE "$differing|dwarf_(next_cu_header|siblingof)_" -r debuginfo loader live cli tests --include='*.[ch]' | grep -v '^debuginfo/dwarf/dwarf_api\.[ch]:')"
# Its functions are those that are not ours; in two versions the same one is called in two ways.
ours=$(cat debuginfo/*/*.h debuginfo/*/*.c | grep -oE '^[A-Za-z].*\bdwarf_[a-zA-Z0-9_]+\(' | grep -oE 'dwarf_[a-zA-Z0-9_]+\($' | sort -u)
calls=$(sed -E 's://.*|/\*.*\*/::; /^ \*/d' debuginfo/*/*.c | grep -oE '\bdwarf_[a-zA-Z0-9_]+\(' | grep -vxFf <(echo "$ours"))
at_least "the calls of libdwarf are found" 25 "$(wc -l <<<"$calls")"
same "each function of libdwarf is called in one place" "" "$(sort <<<"$calls" | uniq -d | grep -v '^dwarf_object_finish($')"
# SQLite chooses the order of a plain join by its version, and a large table may come first.
same "calls and allocs are joined behind what has their ids" "" \
    "$(grep -nE '(^|[^ST]) +JOIN (calls|allocs)\b|(^|[^ST] )JOIN (calls|allocs)\b' queries/*.sql {cli,cli/*,loader/*}/*.{c,sql})"
# Statements lie beside the C file of their name: `-- statement: WHAT` in NAME.sql is the string NAME_sql_WHAT.
unused() { # FOLDER: statements that their C file does not use
    find "$1" -name '*.sql' -exec grep -Hn '^-- statement: ' {} + | while IFS=: read -r file _ _ what; do
        [ "$(grep -oE "\b$(basename "$file" .sql)_sql_${what# }\b" "${file%.sql}.c" | wc -l)" -ge 2 ] || echo "$file:$what"
    done
}
same "each statement beside a C file is declared and used there" "" "$(unused cli)$(unused loader)"
mkdir -p "$TEST_TMP/cli/run" && { cat cli/run/own_code.sql && echo '-- statement: more'; } >"$TEST_TMP/cli/run/own_code.sql"
cp cli/run/own_code.c "$TEST_TMP/cli/run"
same "one that is not would be found" "$TEST_TMP/cli/run/own_code.sql: more" "$(unused "$TEST_TMP/cli" 2>/dev/null)"
same "no line of SQL is longer than 130 columns, but for a query's header" "" \
    "$(awk 'length > 130 && !/^-- / { print FILENAME ":" FNR }' queries/*.sql queries/*/*.sql cli/*.sql {cli,loader}/*/*.sql)"

same "the top level holds the schema and what every project has" "" \
    "$(cd "$here" && git ls-files 2>/dev/null | grep -v / |
        grep -vxE '\.[a-z-]+|(CHANGELOG|CONTRIBUTING|README)\.md|LICENSE|Makefile|schema\.sql')"

same "no file is longer than 700 lines" "" \
    "$(wc -l "${c_files[@]}" | awk '$2 != "total" && $1 > 700')"
mapfile -t page_files < <(find page tests/report -name '*.js' -o -name '*.mjs' -o -name '*.css' | sort)
same "no file of the report's page is longer than 700 lines" "" \
    "$(wc -l "${page_files[@]}" | awk '$2 != "total" && $1 > 700')"
same "each of them opens with a comment on what it is" "" \
    "$(for file in "${page_files[@]}"; do head -n 1 "$file" | grep -qE '^/[*/]' || echo "$file"; done)"
same "the page makes no markup of text" "" "$(grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function\(' page/*.js)"
same "no function is longer than 80 lines" "" "$(awk '
    FNR == 1 { start = 0 }
    /^\{$/ { start = FNR }
    /^\}$/ && start { if (FNR - start > 80) print FILENAME ":" start ": " FNR - start " lines"; start = 0 }
    ' "${c_files[@]}")"
# A struct has one subject.
mapfile -t own_files < <(find base formats collector debuginfo loader live cli -name '*.[ch]' | sort)
same "no struct has more than 25 fields" "" \
    "$(python3 tests/e2e/struct_fields.py 25 "${own_files[@]}")"
# shellcheck disable=SC2016
printf 'struct few { int a, b; struct { int c; }; /* int d; */ };\nstruct nest {\n  struct in { int x[2], *y; } * e;\n  int (*f)(int, int), g : 3;\n};\n' >"$TEST_TMP/structs.h"
same "and fields are counted as C does" "3 few 3 nest 2 in" \
    "$(python3 tests/e2e/struct_fields.py 1 "$TEST_TMP/structs.h" | awk '{ print $1, $4 }' | xargs)"
same "no makefile is longer than 200 lines, and each opens with a comment" "" \
    "$(for file in Makefile mk/*.mk; do [ "$(wc -l <"$file")" -le 200 ] && head -n 1 "$file" | grep -q '^# ' || echo "$file"; done)"
# Targets without a line of help are parts of others.
same "each other target has its line in make help" "" "$(sed -e ':joined' -e '/\\$/{N;s/\\\n//;bjoined}' Makefile mk/*.mk |
    sed -n 's/^\.PHONY://p' | xargs -n 1 | grep -vxE 'again|units|check-loading|check-real-all|lint-all' |
    grep -vxFf <(make --no-print-directory help | cut -d' ' -f1))"
same "each file opens with a comment on what it is" "" \
    "$(for file in "${c_files[@]}"; do [[ $file == tests/programs/* ]] || head -n 3 "$file" | grep -qE '^/[*/]' || echo "$file"; done)"

# spelled so that this file does not find itself
words='TO''DO|FIX''ME|XX''X|HA''CK|\.\./sha''red'
same "no word that promises later work" "" "$(grep -nwE "$words" "${c_files[@]}" "${scripts[@]}" Makefile mk/*.mk README.md CONTRIBUTING.md docs/*.md queries/*.sql queries/*/*.sql schema.sql cli/*.sql {cli,loader}/*/*.sql)"
# without_default FILE...: switches over events that would take a new kind for another one
without_default() {
    awk '/switch \(event->type\)/ { inside = 1 } /^}/ { inside = 0 } inside && /default:/ { print FILENAME ":" FNR }' "$@"
}
same "the compiler asks for a new kind of event in each switch" "" "$(without_default loader/*.c loader/*/*.c live/*.c)"
printf 'int f(void)\n{\n    switch (event->type) {\n    default:\n    }\n}\n' >"$TEST_TMP/switch.c"
same "a switch with a default would be found" "$TEST_TMP/switch.c:4" "$(without_default "$TEST_TMP/switch.c")"
# A step that fails is neither the end of the rows nor "there is none".
steps() { python3 "$here/tests/e2e/steps.py" "$@"; }
mapfile -t stepping < <(grep -l 'sqlite3_step(' -r loader live cli --include='*.c' | sort)
at_least "the files that step statements are found" 40 "${#stepping[@]}"
same "each function that steps a statement tells an error from the end" "" "$(steps "${stepping[@]}")"
printf 'static int sum(sqlite3_stmt *row)\n{\n    int sum = 0;\n    while (sqlite3_step(row) == SQLITE_ROW)\n        sum++;\n    sqlite3_finalize(row);\n    return sum;\n}\n' >"$TEST_TMP/steps.c"
same "one that does not would be found" "$TEST_TMP/steps.c:2: sum" "$(steps "$TEST_TMP/steps.c")"
sed -i 's/sqlite3_finalize(row);/if (sqlite3_finalize(row) != SQLITE_OK)\n        return -1;/' "$TEST_TMP/steps.c"
same "and not one that asks at the end" "" "$(steps "$TEST_TMP/steps.c")"
same "no typedef of a struct" "" "$(grep -nE '^ *typedef +(struct|union|enum)' "${c_files[@]}")"
same "the loader never prints or exits, but where an assertion does not hold" "" \
    "$(grep -nE '(^|[^a-z_])(printf|puts|putchar|perror|exit|abort)\(|stderr|stdout' base/*.c loader/*.c loader/*/*.c live/*.c debuginfo/*/*.c | grep -vE '^[^:]*:[0-9]+: *(/?\*|//)' |
        grep -vE '^debuginfo/dwarf/dwarf_api\.c.*stdout|^base/must\.c:')" # kept from libdwarf there; assertions
same "assertions stay on in release builds: must(), not assert()" "" \
    "$(grep -nE '<assert\.h>|(^|[^a-z_])assert\(' base/*.[ch] loader/*.[ch] loader/*/*.[ch] live/*.[ch] debuginfo/*/*.[ch] cli/*.[ch] cli/*/*.[ch])"
same "the collector never prints" "" \
    "$(grep -nE '(^|[^a-z_])(printf|puts|putchar|perror)\(|[^a-z_](stderr|stdout)[^a-z_]' collector/*/*.c | grep -vE '^[^:]*:[0-9]+: *(/?\*|//)')"

# What shellcheck says of it since 0.10 (SC2319).
same "no \$? of a condition" "" "$(grep -nE -A1 '^ *\[ .* \]$|\] &&.* \]$' tests/*/*.sh | grep 'report \$?' | grep -v '^tests/e2e/lib\.sh')"
same "shellcheck has nothing to say" "" "$(shellcheck -x -S warning "${scripts[@]}" 2>&1)"
