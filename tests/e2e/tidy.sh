#!/bin/bash
# The rules that CONTRIBUTING.md names: include arrows, lengths, words, shellcheck.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$here" || exit 2
mapfile -t c_files < <(find collector loader cli queries tests examples ./*.h -name '*.[ch]' | sort)
mapfile -t scripts < <(grep -rlE '^#!/bin/(ba)?sh' .ci tests examples docs queries cli report --include='*' | sort)
at_least "the C files are found" 60 "${#c_files[@]}"
at_least "the scripts are found" 10 "${#scripts[@]}"

# arrows FOLDER PATTERN: includes in quotes must match the pattern
arrows() {
    local wrong
    wrong=$(grep -nE '^# *include "' "$1"/*.[ch] | grep -vE "include \"($2)\"")
    same "$1 includes only what it may" "" "$wrong"
}
arrows collector 'log_format\.h|collector/[a-z_]+\.h'
arrows loader 'log_format\.h|loader/[a-z_]+\.h|queries/embedded\.h'
arrows queries 'queries/[a-z_]+\.h'
arrows cli 'log_format\.h|cli/[a-z_]+\.h|loader/(loader|error|symbols|unfinished)\.h|queries/embedded\.h|report/page\.h'
same "log_format.h includes only stdint.h and stddef.h" "<stddef.h> <stdint.h>" \
    "$(sed -n 's/^# *include *//p' log_format.h | sort | tr '\n' ' ' | sed 's/ $//')"
same "the collector uses libc alone" "" \
    "$(grep -nE '^# *include <(sqlite3|libdwarf|dwarf|libelf|gelf|zlib)' collector/*.[ch])"

# What differs between libdwarf's versions: everything else must hold for all of them.
differing='libdwarf/|<dwarf\.h>|DW_LIBDWARF_VERSION|Dwarf_Obj_Access_|dwarf_object_(init|finish)|dwarf_(dealloc_ranges|ranges_dealloc)'
same "only loader/dwarf_api knows libdwarf's version" "" \
    "$(grep -nE "$differing|dwarf_(next_cu_header|siblingof)_" loader/*.[ch] cli/*.[ch] tests/*/*.[ch] | grep -v '^loader/dwarf_api\.[ch]:')"
# SQLite chooses the order of a plain join by its version, and a large table may come first.
same "calls and allocs are joined behind what has their ids" "" \
    "$(grep -nE '(^|[^ST]) +JOIN (calls|allocs)\b|(^|[^ST] )JOIN (calls|allocs)\b' queries/*.sql cli/*.c)"

same "no file is longer than 700 lines" "" \
    "$(wc -l "${c_files[@]}" | awk '$2 != "total" && $1 > 700')"
mapfile -t page_files < <(find report tests/report -name '*.js' -o -name '*.mjs' -o -name '*.css' | sort)
same "no file of the report's page is longer than 700 lines" "" \
    "$(wc -l "${page_files[@]}" | awk '$2 != "total" && $1 > 700')"
same "each of them opens with a comment on what it is" "" \
    "$(for file in "${page_files[@]}"; do head -n 1 "$file" | grep -qE '^/[*/]' || echo "$file"; done)"
same "the page makes no markup of text" "" "$(grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function\(' report/*.js)"
same "no function is longer than 80 lines" "" "$(awk '
    FNR == 1 { start = 0 }
    /^\{$/ { start = FNR }
    /^\}$/ && start { if (FNR - start > 80) print FILENAME ":" start ": " FNR - start " lines"; start = 0 }
    ' "${c_files[@]}")"
same "each file opens with a comment on what it is" "" \
    "$(for file in "${c_files[@]}"; do [[ $file == tests/programs/* ]] || head -n 3 "$file" | grep -qE '^/[*/]' || echo "$file"; done)"

# spelled so that this file does not find itself
words='TO''DO|FIX''ME|XX''X|HA''CK|\.\./sha''red'
same "no word that promises later work" "" "$(grep -nwE "$words" "${c_files[@]}" "${scripts[@]}" Makefile README.md CONTRIBUTING.md docs/*.md queries/*.sql schema.sql)"
same "no typedef of a struct" "" "$(grep -nE '^ *typedef +(struct|union|enum)' "${c_files[@]}")"
same "the loader never prints or exits" "" \
    "$(grep -nE '(^|[^a-z_])(printf|puts|putchar|perror|exit|abort)\(|stderr|stdout' loader/*.c | grep -vE '^[^:]*:[0-9]+: *(/?\*|//)')"
same "the collector never prints" "" \
    "$(grep -nE '(^|[^a-z_])(printf|puts|putchar|perror)\(|[^a-z_](stderr|stdout)[^a-z_]' collector/*.c | grep -vE '^[^:]*:[0-9]+: *(/?\*|//)')"

same "shellcheck has nothing to say" "" "$(shellcheck -x -S warning "${scripts[@]}" 2>&1)"
