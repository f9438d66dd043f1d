#!/bin/bash
# The generated pages are as `make docs` would write them, what the manual shows can be run, and the
# completion knows what the program knows.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

fresh() { # PAGE COMMAND...: the page is what the command prints
    local page=$1
    shift
    "$@" >page 2>&1
    cmp -s page "$here/docs/$page"
    report $? "docs/$page is not stale (make docs)" "$(diff "$here/docs/$page" page | head -n 10)"
}
fresh queries.md "$here/docs/make-queries.sh" "$fisql"
fresh schema.md "$here/docs/make-schema.sh" "$here/schema.sql"
fresh log-format.md "$here/docs/make-log-format.sh" "$here/formats/log.h" "$here/docs/log-format.md"
fresh api.md "$here/docs/make-api.sh" "$fisql"
fresh fisql.1 "$here/docs/make-man.sh" "$fisql"

sqlite3 :memory: ".read $here/schema.sql" "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')" |
    while read -r name; do
        grep -qx "## $name" "$here/docs/schema.md"
        report $? "docs/schema.md has $name"
        sqlite3 :memory: ".read $here/schema.sql" \
            "SELECT x.name FROM sqlite_schema s, pragma_table_xinfo('$name') x WHERE s.name = '$name' AND s.type = 'table'" |
            while read -r column; do
                sed -n "/^## $name\$/,/^## /p" "$here/docs/schema.md" | grep -q "^| \`$column\` |" ||
                    report 1 "docs/schema.md has the column $name.$column"
            done
    done
for query in $("$fisql" query --names); do
    grep -qx "### $query" "$here/docs/queries.md"
    report $? "docs/queries.md has $query"
    at_least "there is an example of $query (make examples)" 1 "$(wc -c <"$here/docs/examples/$query.txt")"
done

warnings=$(MANWIDTH=80 man --warnings -l "$here/docs/fisql.1" 2>&1 >page.txt)
same "the man page is sound" "" "$warnings"
"$fisql" help --list | cut -f1 | while read -r command; do
    has "the man page has fisql $command" "fisql $command" "$(cat page.txt)"
    run "$fisql" "$command" --help
    same "fisql $command --help ends with 0" 0 "$status"
    lacks "fisql $command --help says nothing on stderr" "fisql" "$err"
done

# the examples of all commands run as they stand, in the order of the list: build, record, load, ask
cat >sort.c <<'C'
#include <stdlib.h>
#include <stdio.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv)
{
    int numbers[64], count = 0;
    FILE *in = fopen(argv[argc - 1], "r");
    while (in && count < 64 && fscanf(in, "%d", &numbers[count]) == 1) count++;
    qsort(numbers, (size_t)count, sizeof numbers[0], compare);
    return count == 3 ? 0 : 9;
}
C
echo 3 1 2 >numbers.txt
PATH=$FISQL_BUILD:$PATH
{
    "$fisql" help | grep -o 'fisql \(cc\|run\|query\) .*$' | tail -n 3
    for command in $("$fisql" help --list | cut -f1); do
        "$fisql" "$command" --help | sed -n '/^examples\{0,1\}:/,$p' | grep -v 'C=\|CC=\|COMPILER=' | grep -o 'fisql [a-z]* .*$'
    done
} >examples
# a program that runs meanwhile, for those that ask one
printf '#include <unistd.h>\nint main(void) { sleep(600); }\n' >app.c
"$fisql" cc gcc -o app app.c
"$fisql" record -q -o app.bin ./app &
recorder=$!
pgrep() { command pgrep -P $recorder -x "$@"; }
until pgrep app >/dev/null; do sleep 0.02; done
at_least "there are examples" 12 "$(wc -l <examples)" "$(cat examples)"
while read -r example; do
    [[ $example != "fisql report"* && $example != "fisql serve"* ]] || page_built "example: $example" || continue
    # What follows the program would do so until that ends.
    [[ $example != *" --follow"* ]] || ended="timeout --preserve-status -s INT 3 "
    eval "${ended-}$example" >out 2>err </dev/null
    status=$?
    unset ended
    case $example,$status in
        *--check*,1) status=0 ;; # it found something
    esac
    report $status "example: $example" "$(cat err)"
    [ ! -e sort.bin ] || [ -e run.bin ] || cp sort.bin run.bin
done <examples
kill "$(pgrep app)"
wait $recorder 2>/dev/null

# completion
# shellcheck source=cli/completion.bash
. "$here/cli/completion.bash"
completes() { # WHAT EXPECTED WORD...
    local what=$1 expected=$2
    shift 2
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _fisql 2>/dev/null
    has "completion of $what" " $expected " " ${COMPREPLY[*]-} "
}
completes "a command" "record" fisql re
completes "a query" "hot-functions" fisql query hot
completes "an option" "--format" fisql query hot-functions --fo
completes "a format" "markdown" fisql query hot-functions --format ma
completes "a parameter" "min_calls=" fisql query hot-functions -p mi
completes "a database" "run.db" fisql query hot-functions ru
completes "a database in the place of a query" "run.db" fisql query ru
completes "a database for its digest" "run.db" fisql digest ru
completes "an option of recording" "--min-duration" fisql run --mi
completes "another command's option" "--output" fisql record --ou
touch run.bin
completes "a log" "run.bin" fisql load ru
completes "another command's database" "run.db" fisql tree ru
completes "a second database" "run.db" fisql diff run.db ru
completes "an export's format" "speedscope" fisql export --format sp
completes "an order" "bytes" fisql tree --sort by
completes "a colour" "always" fisql trace --color al
completes "a query of many runs" "never-called" fisql fleet ne
completes "a file of many runs" "run.db" fisql push ru
completes "a diff's format" "markdown" fisql diff --format ma
completes "names' style" "short" fisql stack --demangle sh
completes "a weight" "calls" fisql export --weight ca
completes "an output" "run.bin" fisql export -o ru
completes "a compiler" "gfortran" fisql cc gf
COMP_WORDS=(fisql tree ru) COMP_CWORD=2 COMPREPLY=()
_fisql
same "a database is no log" "run.db" "${COMPREPLY[*]-}"
COMP_WORDS=(fisql query xyzzy) COMP_CWORD=2 COMPREPLY=()
_fisql
same "nothing to complete" "" "${COMPREPLY[*]-}"
