#!/bin/bash
# fisql review: the chosen functions, by name, file or a change in git; the page and its picture.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

mkdir repo && cd repo || exit 2
git init -q . && git config user.email test@example.org && git config user.name test
cat > work.c <<'C'
#include <stdlib.h>
static volatile int sink;
static int leaf(int n)
{
    return n * 3 + sink;
}
static int node(int n)
{
    return n < 2 ? leaf(n) : node(n - 1) + node(n - 2);
}
static void keep(void)
{
    void *volatile block = malloc(100);
    (void)block;
}
static void never(void)
{
    sink--;
}
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 30; i++)
        sink = node(8);
    keep();
    if (argc > 5)
        never();
    return 0;
}
C
git add . && git commit -qm first
build gcc work -O1 -g work.c
"$fisql" record -q ./work && "$fisql" load -q run.bin

# headings: the functions that a page is about
headings() { sed -n 's/^### //p' | tr '\n' ' ' | sed 's/ $//'; }
run "$fisql" review --function leaf --function keep --picture review.svg -o review.md
same "exit status" 0 "$status"
page=$(cat review.md)
same "--function: those functions" "leaf keep" "$(headings <<<"$page")"
has "the table: calls" "| leaf | work.c:3 | $(sql run.db "SELECT calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'leaf'") |" "$page"
has "who calls it" "- called by node" "$page"
has "a finding that touches it" "fisql query not-freed" "$page"
has "the picture is in it" "![contexts, time and calls](<review.svg>)" "$page"
xmllint --noout review.svg 2>err
same "the picture is XML" "0 " "$? $(cat err)"
for part in "Contexts:" "Time:" "Calls:" ">node<" ">main<"; do
    has "the picture shows $part" "$part" "$(cat review.svg)"
done
run "$fisql" review --function leaf --picture review.png -o review.md
same "a PNG" "0 PNG" "$status $(head -c 4 review.png | tr -d '\211')"
run env PATH=/nowhere "$fisql" review --function leaf --picture absent.png -o without.md
same "without rsvg-convert: status 2" 2 "$status"
has "it is said" "install librsvg2-bin" "$err"
same "no picture is left" "" "$(ls absent.png 2>/dev/null)"
same "the page is there, without a picture" "## Review of a run|0" "$(head -n 1 without.md)|$(grep -c '!\[' without.md)"
same "no SVG is left beside it" "" "$(ls review.png.svg 2>/dev/null)"

same "--file" "keep leaf main never node" "$("$fisql" review --file work.c | headings | tr ' ' '\n' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
has "a function that was not called" "| never | work.c:16 | 0 |" "$("$fisql" review --function never)"
cat >given.c <<'C'
static int grade(int points, const char *name) { return name[0] == '*' ? -1 : points / 10; }
int main(void) { return grade(40, "ann") + grade(40, "ann") + grade(40, "ann") + grade(45, "*bob") + grade(45, "eve") > 100; }
C
"$fisql" cc gcc -O0 -g -o given given.c
"$fisql" record -q --values -o given.bin ./given
"$fisql" load -q given.bin
same "what was passed and returned" '- points: 40 (3), 45 (2)
- name: "ann" (3), "\*bob" (1), "eve" (1)
- result: 4 (4), -1 (1)' "$("$fisql" review --function grade given.db | grep -E '^- (points|name|result):')"
same "the five hottest" 4 "$("$fisql" review | headings | wc -w)"
sed -i 's/n \* 3/n * 4/; s/sink--/sink -= 2/' work.c
same "--git-diff: the functions that the change touches" "leaf never" "$("$fisql" review --git-diff | headings)"
git commit -qam second
same "--range" "leaf never" "$("$fisql" review --range HEAD~1 | headings)"
run "$fisql" review --git-diff
same "no change: said" "2 fisql: --git-diff: the change touches no function of the run's program" "$status $err"
run "$fisql" review --range nosuchbranch
same "a wrong range" 2 "$status"
run "$fisql" review --function leef
same "an unknown function" "2 fisql: --function leef: there is no such function; did you mean leaf?" "$status $err"
run "$fisql" review --file nowhere.c
same "an unknown file" 2 "$status"
run "$fisql" review -o /nonexistent/x.md
same "an output that cannot be made" "2 fisql: /nonexistent/x.md: cannot be made: No such file or directory" "$status $err"

small_database hostile.db
sqlite3 hostile.db "UPDATE functions SET name = 'x<b>|' || char(27) || '[31m&' || char(10) || 'y' WHERE id = 3; UPDATE threads SET name = char(27) || '<z>'"
run "$fisql" review --file parse.cc --picture hostile.svg hostile.db
lacks "the page: control characters are escaped" "$(printf '\033')" "$out"
xmllint --noout hostile.svg 2>err
same "the picture: hostile names stay names" "0 " "$? $(cat err)"
