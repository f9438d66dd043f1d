#!/bin/bash
# The arguments of all commands: options that are wrong are named, with the nearest one, and names that are shown
# have their control characters escaped.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
small_database run.db
export XDG_CACHE_HOME=$TEST_TMP/cache
commands=$("$fisql" help --list | cut -f1 | grep -vx 'help\|version')
at_least "commands" 12 "$(wc -w <<<"$commands")"

for command in $commands; do
    run "$fisql" "$command" --hepl
    same "$command: the nearest option" "2 fisql: $command: --hepl: no such option; did you mean --help?" "$status $err"
    run "$fisql" "$command" --xyzzy=3
    same "$command: an option that nothing is near" \
        "2 fisql: $command: --xyzzy: no such option; see \`fisql $command --help\`" "$status $err"
    run "$fisql" "$command" -Z
    same "$command: a letter" "2 fisql: $command: -Z: no such option; see \`fisql $command --help\`" "$status $err"
    run "$fisql" "$command" --help=3
    same "$command: a value that is not wanted" "2 fisql: $command: --help: takes no value" "$status $err"
    run "$fisql" "$command" -h
    same "$command -h is --help" "0 $("$fisql" "$command" --help)" "$status $out"
    # every option of its help is one, and those with a value miss it
    "$fisql" "$command" --help | sed -n 's/^ *\(-[a-z], \)\?\(--[a-z-]*\)\([ =][A-Z][A-Za-z]*\)\? .*/\2\3/p' | sort -u |
        while read -r name value; do
            case $name in
            *=*) value=${name#*=} name=${name%=*} ;;
            esac
            [ -n "$value" ] || continue
            run "$fisql" "$command" "$name"
            same "$command $name lacks its value" \
                "2 fisql: $command: $name: wants a value; see \`fisql $command --help\`" "$status $err"
        done
done
at_least "options with values" 8 "$("$fisql" query --help | grep -c -- '--[a-z-]* [A-Z]')"

run "$fisql" query --limt 3 hot-functions
same "the nearest of many" "2 fisql: query: --limt: no such option; did you mean --limit?" "$status $err"
run "$fisql" trace --de 3
same "a beginning of several" "2 fisql: trace: --de: is short for several options: --demangle, --depth" "$status $err"
run "$fisql" query -p
same "a letter that lacks its value" "2 fisql: query: --param: wants a value; see \`fisql query --help\`" "$status $err"
run "$fisql" tree --depth=none
same "a value that makes no sense" "2 fisql: --depth none: wants a number from 1 on" "$status $err"
expected=$("$fisql" tree --depth 1 run.db)
same "--option=value" "$expected" "$("$fisql" tree --depth=1 run.db)"
same "options behind words" "$expected" "$("$fisql" tree run.db --depth 1)"
same "a beginning of one" "$expected" "$("$fisql" tree --dep 1 run.db)"
cp run.db ./--depth
same "-- ends the options" "$expected" "$("$fisql" tree --depth 1 -- --depth)"
for command in info dump load tree trace stack query export report review; do
    case $command in
    stack) words=(1 run.db more) ;;
    query) words=(hot-functions run.db more) ;;
    export) words=(--format folded run.db more) ;;
    *) words=(run.db more) ;;
    esac
    run "$fisql" "$command" "${words[@]}"
    same "$command: a word too many" "2 fisql: $command: more: one argument too many; see \`fisql $command --help\`" "$status $err"
done

# Names with an escape sequence, which would change the terminal's title: in no message as they are.
name=$'a\e]0;b\a.x'
printf '#!/bin/sh\nexit 0\n' >"$name"
chmod +x "$name"
build gcc plain -O1 -g "$programs/smallest.c" >/dev/null 2>&1
shows() { # WHAT COMMAND...: the message has the name, escaped
    local what=$1
    shift
    run "$@"
    has "$what: the name is shown" 'a\x1b]0;b\x07' "$err"
    lacks "$what: but not as it is" $'\e' "$err$out"
}
shows "cc: a compiler" "$fisql" cc "./$name-not-there" -c x.c
shows "cc: an option" "$fisql" cc "--$name"
shows "cc: a compiler that is not clang" "$fisql" cc --after-inlining "./$name" -c x.c
shows "record: a program that is missing" "$fisql" record "./$name-not-there"
shows "record: a program that records nothing" "$fisql" record --no-patch -q "./$name"
shows "record: an option" "$fisql" record "--$name"
shows "record: a pattern" "$fisql" record --only "$name" ./plain
shows "record: a depth" "$fisql" record --depth "$name" ./plain
shows "record: a log" "$fisql" record -o "$name/run.bin" ./plain
shows "record: what is no log" "$fisql" record -o "$name" ./plain
shows "record: what was written" "$fisql" record -o "$name.bin" ./plain
shows "load: what was written" "$fisql" load "$name.bin"
for command in info tree trace review report; do
    shows "$command: a database" "$fisql" "$command" "$name-not-there"
done
shows "query: a database" "$fisql" query hot-functions "$name"
shows "query: a query" "$fisql" query "$name"
shows "query: a parameter" "$fisql" query hot-functions -p "$name=1" run.db
shows "stack: a database" "$fisql" stack 1 "$name"
shows "export: a format" "$fisql" export --format "$name"
shows "export: a database" "$fisql" export --format folded "$name"
shows "diff: a database" "$fisql" diff run.db "$name"
for command in load dump; do # where base/error.h has put ? in their place already
    run "$fisql" "$command" "$name"
    has "$command: a log that is none: the name is shown" 'a?]0;b?.x: is not a fisql log' "$err"
    lacks "$command: a log that is none: but not as it is" $'\e' "$err"
done
shows "no such command" "$fisql" "$name"
