#!/bin/bash
# Each list stands in one place: keys, words and variables of the log in formats/log.h, and one piece of code for each
# of growing, sifting, escaping, complaining and reading options. Each search is also made in a copy of the source
# where something stands twice, which it must find.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# The arguments number N of the rows of a list of formats/log.h, without quotes.
list() { # NAME N
    sed -n "/^#define $1(X)/,/[^\\\\]\$/p" formats/log.h | sed 's/\\$//' | tr -s '\n ' '  ' | sed 's/ X(/\nX(/g' |
        sed -n 's/^X(//p' | awk -F', *' -v at="$2" '{ gsub(/[")]/, "", $at); sub(/ *$/, "", $at); print $at }'
}
either() { paste -sd'|'; }
in_c() { grep -rnE --include='*.[ch]' "$@"; } # PATTERN FOLDER...

# Each search prints what should not be there; it is made in the folder of a source tree.
search_keys() { # those of other things, such as columns, have the same words
    grep -nE "\"($(list FISQL_FACTS 3 | either))\"" collector/*/*.c loader/load.c loader/log/*.c cli/record/*.c cli/cmd_record.c |
        grep -vE '^loader/load\.c:.*(progress|finish_parts)\(|^cli/record/fault_rules\.c:' # the table, the stage; words of rules
    in_c "\"($(list FISQL_FACTS 3 | grep _ | either))\"" debuginfo loader live cli | grep -vE '^cli/(report|export|diff|run/measure)|column_[a-z_]+\("'
}
search_unwritten_keys() { # events: for other writers
    list FISQL_FACTS 1 | paste -d_ - <(list FISQL_FACTS 2) | grep -vx LOSS_EVENTS | while read -r fact; do
        grep -qwr "FISQL_FACT_$fact" collector cli/record cli/cmd_record.c loader/foreign || echo "$fact is never written"
    done
}
search_run_keys() { # what is asked of the table run is there: facts, and what the load adds
    { list FISQL_FACTS 3; grep -hoE '"[a-z_]+"' loader/*.c loader/tables/*.c loader/memory/*.c | tr -d '"'; } | sort -u >"$TEST_TMP/known"
    grep -rnoE "\bkey (=|IN) \(?'[a-z_]+'(, '[a-z_]+')*" queries cli page | grep -v node_modules |
        while IFS= read -r line; do
            grep -oE "'[a-z_]+'" <<<"$line" | tr -d "'" | grep -vxFf "$TEST_TMP/known" | sed "s|^|${line%%:*}: |"
        done
}
search_values() { in_c '"(tsc|cntvct|monotonic|unload|process-exit)"|(origin|how)[^"]*"(fork|exec|_?exit|signal)"' collector debuginfo loader live cli; }
search_variables() { in_c "\"($(list FISQL_VARIABLES 2 | either))[\"=]" collector debuginfo loader live cli; }
search_unread_variables() { # a variable that a test sets and nobody reads
    grep -rhoE '\bFISQL_[A-Z]+=' tests docs/*.md docs/*.sh README.md .ci | tr -d '=' | sort -u |
        grep -vxE "$(list FISQL_VARIABLES 2 | either)" | while read -r variable; do
        grep -rqE "\\$\{?$variable\b|environ.*$variable\b|environment.*$variable\b" tests .ci || echo "$variable"
    done
}
search_words() {
    grep -nE "\"($(list FISQL_OPTIONS 2 | either))\"?" collector/*/*.c
    list FISQL_OPTIONS 1 | while read -r option; do
        for user in collector cli/record; do
            grep -qwr "FISQL_OPTION_$option\|ADD($option" $user || echo "$user: $option"
        done
    done
}
search_names() { grep -nE '"(salvaged|resumed|forked|modules)"' loader/dump.c; }
search_json() { in_c 'u%04x|ufffd|u003c' cli debuginfo loader live base | grep -v '^cli/out/json\.[ch]:'; }
search_utf8() { in_c '0xc0\) == 0x80|>= 0xf0' cli debuginfo loader live base | grep -v '^base/utf8\.c:'; }
search_heaps() { in_c '2 \* [a-z]+ \+ [12]\b.*count' cli debuginfo loader live base | grep -v '^base/heap\.h:'; }
search_arrays() { # what does not grow says so in a comment above it
    in_c -B2 '\b(realloc|reallocarray)\(' cli debuginfo loader live base | grep -v '^base/array\.h' |
        awk '/\/\*/ { said = 1 } /[a-z]alloc(array)?\(/ { if (!said && /:[0-9]+:/) print; said = 0 } /^--$/ { said = 0 }'
}
search_parts() { in_c '^static .*\b(last_part|(starts|begins|ends)(_with|_in)?)\(|return slash .* slash \+ 1 : ' cli debuginfo loader live base | grep -v '^base/parts\.h:'; }
search_digits() { in_c "'0' \+ [a-z]+ % |abcdef\"\[[a-z]+ [%&]" collector | grep -v '^collector/core/digits\.h:'; }
search_tables() { in_c '>buckets\[|& [a-z>.-]*(buckets|slots|locations)_mask' cli debuginfo live; }
search_errors() { in_c '\b(stderr|STDERR_FILENO, *"|perror|vfprintf)\b' cli | grep -vE '^cli/out/say\.c:|print_overview\(stderr\)|:[0-9]+: *(/?\*|//)|/\*.*stderr'; }
search_fails() { in_c '^(static )?(int|void) (fail|say|complain|error|die|warn)\(' cli | grep -v '^cli/out/say\.[ch]:'; }
search_options() { in_c 'getopt|\bopt(ind|arg|opt|err)\b|"--help"' cli | grep -vE '^cli/(out/args\.[ch]|main\.c):|:[0-9]+: *(/?\*|//)'; }
search_docs() { # docs/log-format.md is made of the lists: docs.sh compares
    for name in FISQL_CHUNK_KINDS FISQL_EVENTS FISQL_FLAGS FISQL_FACTS FISQL_VARIABLES FISQL_OPTIONS; do
        grep -qF "<!-- $name: made by" docs/log-format.md || echo "docs/log-format.md lacks $name"
    done
}

searches=$(declare -F | sed -n 's/^declare -f search_//p')
cd "$here" || exit 2
at_least "the list of facts is read" 40 "$(list FISQL_FACTS 3 | wc -l)" "$(list FISQL_FACTS 3)"
same "so are the variables" "FISQL_HANDED FISQL_LIVE FISQL_LOG FISQL_OPTIONS" "$(list FISQL_VARIABLES 2 | sort | paste -sd' ')"
same "and the words" "as-is= depth= faults filter library-calls locks= min-duration= no-alloc no-time no-waits on-assert= plugin ring= rotate sampled say start-off threads values values-wait=" "$(list FISQL_OPTIONS 2 | sort | paste -sd' ')"
for search in $searches; do
    same "$search: stands once" "" "$("search_$search")"
done

mkdir "$TEST_TMP/tree"
cp -r --parents base cli collector debuginfo loader live queries docs tests page/*.js formats README.md .ci "$TEST_TMP/tree"
cd "$TEST_TMP/tree" || exit 2
finds() { # SEARCH FILE LINE: it finds that line at the end of the file
    local kept
    kept=$(mktemp "$TEST_TMP/kept.XXXXXX")
    cp "$2" "$kept"
    printf '%s\n' "$3" >>"$2"
    at_least "$1: is found where it stands twice ($2)" 1 "$("search_$1" | wc -l)"
    cp "$kept" "$2"
}
finds keys loader/log/log_index_facts.c 'if (strcmp(key, "parent_pid") == 0)'
finds keys cli/cmd_info.c 'fact(database, "hook_inside_ps")'
sed -i 's/^    X(END, TICK, "tick", "")/    X(END, TICK, "tick", "") X(END, MOON, "moon", "")/' formats/log.h
at_least "unwritten_keys: is found" 1 "$(search_unwritten_keys | grep -c END_MOON)"
cp "$here/formats/log.h" formats/log.h
finds run_keys queries/modules.sql "SELECT value FROM run WHERE key = 'hook_inside'"
finds values collector/core/clock.c 'return "tsc";'
finds values loader/load.c 'strcmp(process->origin, "fork")'
finds variables collector/process/process.c 'secure_getenv("FISQL_LIVE")'
finds unread_variables tests/e2e/demo.sh "FISQL_""OUT=run.bin ./program"
finds words collector/process/process.c 'strcmp(word, "no-alloc")'
finds names loader/dump.c '{32, "salvaged"}'
finds json cli/export/export.c 'fprintf(out, "\\u%04x", c);'
finds utf8 cli/run/names.c 'while ((text[at] & 0xc0) == 0x80)'
finds heaps loader/load.c 'for (child = 2 * at + 1; child < count; child++)'
finds arrays cli/cmd_tree.c 'items = realloc(items, 2 * room);'
finds parts cli/cmd_tree.c 'static bool ends_with(const char *text, const char *end)'
finds digits collector/core/file.c "digits[--at] = (char)('0' + file % 10);"
finds tables cli/cmd_tree.c 'uint32_t *bucket = &tree->buckets[hash];'
finds errors cli/cmd_tree.c 'fprintf(stderr, "%s", path);'
finds fails cli/cmd_tree.c 'static int fail(const char *format, ...)'
finds options cli/cmd_tree.c 'getopt_long(argc, argv, "h", known, NULL)'
sed -i '/FISQL_FLAGS/d' docs/log-format.md
at_least "docs: is found" 1 "$(search_docs | wc -l)"
for search in $searches; do
    grep -qE "^finds $search |^at_least \"$search: is found" "$here/tests/e2e/one_list.sh"
    report $? "$search: is tried"
done
