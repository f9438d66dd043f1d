#!/bin/bash
# Hostile names in what is printed for programs and people: in every format (tests/corrupt/outputs.py; FISQL_TESTS=brief tries a third), in queries of
# one's own, in the shell's completion, and in what a program tells while it runs.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 1
export PYTHONDONTWRITEBYTECODE=1 PAGER=cat HOME=$TEST_TMP XDG_CONFIG_HOME=$TEST_TMP/config
mkdir formats
(cd formats && python3 "$here/tests/corrupt/outputs.py" "$fisql" "$here/schema.sql" "$here/tests/fixtures/small.sql" ${FISQL_TESTS:+"$FISQL_TESTS"}) ||
    not_ok "the formats can be tried"
page_built "hostile names in the report's data" || true

# Completion runs nothing that stands in a list.
cat >listing <<'S'
#!/bin/bash
case $1 in
    ps) printf 'pid,command\r\n12,"x\n$(touch ran-ps),\n`touch ran-ps`"\r\n' ;;
    query) printf 'a-query\na$(touch${IFS}ran-query)\n' ;;
    fleet) printf 'a-query\n`touch${IFS}ran-fleet`\n' ;;
esac
S
chmod +x listing
# shellcheck disable=SC2016 # it is to stay
touch 'of$(touch${IFS}ran-file).bin'
# shellcheck source=cli/completion.bash
. "$here/cli/completion.bash"
complete_words() { # WORD...
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _fisql 2>/dev/null
}
complete_words ./listing stacks ""
same "completion offers processes, and nothing of their commands" "12" "${COMPREPLY[*]}"
complete_words ./listing query a
same "completion quotes queries' names" 'a-query a\$\(touch\$\{IFS\}ran-query\)' "${COMPREPLY[*]}"
complete_words ./listing fleet ""
complete_words ./listing load of
same "completion runs no part of a name" "" "$(ls -d ran-* 2>/dev/null)"

# Queries of one's own.
mkdir -p config/fisql/queries
printf -- '-- title: A <b>title</b>\e[31m\n-- question: What \e[32m?\n-- advice: Do \e[33m this. And that.\n-- report: findings\nSELECT 1 AS one\n' \
    >config/fisql/queries/$'own\e[31m.sql'
small_database run.db
for command in "query" "query --names" "query --all" "query --all --format markdown" "query own"$'\e[31m'" --help"; do
    # shellcheck disable=SC2086 # words of a command
    case $command in
        *--help | *names | query) "$fisql" $command >seen 2>&1 ;;
        *) "$fisql" $command run.db >seen 2>&1 ;;
    esac
    has "${command//$'\e[31m'/}: shows the query" 'own\x1b' "$(tr -d '\n' <seen | sed 's/\\\\x1b/\\x1b/g')"
    same "${command//$'\e[31m'/}: no control characters" 0 "$(tr -d '\n' <seen | tr -cd '\000-\037\177' | wc -c)"
done
"$fisql" query --all --format markdown run.db >seen 2>&1
has "a title in Markdown is text" 'A \<b\>title\</b\>\\x1b[31m' "$(sed 's/\\\[/[/' seen)"

# Names of a program that runs: a diary is printed while it does.
forged=$'queue_put\nfisql: forged'
"$fisql" cc gcc -g0 -O1 -I"$here/collector" -c -o diary.o "$here/examples/diary.c"
objcopy --redefine-sym "queue_put=$forged" diary.o
"$fisql" cc gcc -o forged diary.o -lpthread
"$fisql" record -q -o diary.bin ./forged >seen 2>&1
has "a function's name is shown in a diary" 'queue_put\x0afisql: forged' "$(cat seen)"
same "it begins no line of its own" 0 "$(grep -c '^fisql: forged' seen)"
