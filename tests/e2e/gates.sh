#!/bin/bash
# Long gates leave commit, date and result in build/gates (tests/gate), and .ci/run adds up its parts: tried in a small
# repository whose parts print what they are asked to.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MAKELEVEL MFLAGS FISQL_GATE
mkdir -p "$TEST_TMP/repo/tests" "$TEST_TMP/repo/.ci" && cd "$TEST_TMP/repo" || exit 2
cp "$here/tests/gate" "$here/tests/distros" tests/
cp "$here/.ci/run" .ci/
echo build/ >.gitignore
printf '#!/bin/sh\necho "$@" >>"$SETUP_LOG"\n' >tests/setup
chmod +x tests/setup
cat >Makefile <<'M'
check asan-quick:
	@cat $(PARTS)/$@; exit $$(cat $(PARTS)/$@.status)
lint-changed:
	@tests/gate lint sh -c 'cat $(PARTS)/lint; exit $$(cat $(PARTS)/lint.status)'
M
git init -q . && git -c user.name=n -c user.email=e@e add -A && git -c user.name=n -c user.email=e@e commit -qm one
head=$(git rev-parse HEAD)
export SETUP_LOG=$TEST_TMP/setup.log PARTS=$TEST_TMP/parts
mkdir "$PARTS"
kept() { sed -n "s/^$2 //p" "build/gates/$1"; }

run tests/gate asan printf 'ok - one\n7 passed, 0 failed\n'
same "a gate: status and output are the command's" "0 ok - one
7 passed, 0 failed" "$status $out"
same "it leaves the commit" "$head" "$(kept asan commit)"
same "its closing line" "7 passed, 0 failed" "$(kept asan result)"
at_least "the date" $(($(date +%s) - 600)) "$(date -d "$(kept asan date)" +%s)"
tests/gate asan sh -c 'echo 7 passed, 2 failed; exit 1' >/dev/null
same "one that fails: status and closing line" "1 7 passed, 2 failed" "$? $(kept asan result)"
tests/gate check-real echo '7 passed, 0 failed, 3 skipped' >/dev/null
same "skipped tests are told, too" "7 passed, 0 failed, 3 skipped" "$(kept check-real result)"
tests/gate stress sh -c 'echo 7 passed, 0 failed; exit 3' >/dev/null
same "one that fails after a good closing line" "3 failed with status 3: 7 passed, 0 failed" "$? $(kept stress result)"
tests/gate lint true
same "a command without a closing line" "0 clean" "$? $(kept lint result)"
tests/gate lint false
same "one that fails" "1 failed" "$? $(kept lint result)"
(tests/gate lint sh -c 'kill -9 $PPID') >/dev/null 2>&1
same "one that is killed" "not finished" "$(kept lint result)"
run tests/gate
same "the list: fails where a gate did not pass" 1 "$status"
has "the list: did not pass" "lint        did not pass: not finished" "$out"
has "the list: has not run" "distros     has not run" "$out"
for name in asan lint check-real stress; do tests/gate $name true; done
tests/gate distros true
run tests/gate
same "the list: all passed on this commit" "0 5" "$status $(grep -c ' passed: clean' <<<"$out")"
touch new.c
run tests/gate
same "the list: not where the tree has changed since" "1 5" "$status $(grep -c 'passed on another commit' <<<"$out")"
tests/gate lint true
same "a tree that is not clean" "$head dirty" "$(kept lint commit)"
rm new.c
tests/gate lint touch new.c
same "one that is not clean afterwards" "$head dirty" "$(kept lint commit)"
rm new.c

rm -r build
MAKEFLAGS='n --no-print-directory' tests/gate lint true
same "make -n passes no gate" "0 0" "$? $(find build -name lint 2>/dev/null | wc -l)"
MAKEFLAGS=' --no-print-directory -j2' tests/gate lint true
same "make with other options does" clean "$(kept lint result)"

# Which targets are gates, and where: the top build folder, whatever BUILD is.
for gate in asan stress check-real lint; do
    target=$(make -s -C "$here" -n BUILD=elsewhere -o all -W nothing $gate 2>/dev/null | grep -o "tests/gate $gate " | head -n 1)
    same "make $gate is a gate" "tests/gate $gate " "$target"
done
mkdir tests/stub && printf '#!/bin/sh\necho "$@"\n' >tests/stub/gate && chmod +x tests/stub/gate
cp tests/stub/gate tests/gate
has "tests/distros all is a gate" "distros $PWD/tests/distros all" "$(tests/distros all)"
cp "$here/tests/gate" tests/gate
rm -r tests/stub
has "and of no single release" "has not run" "$(rm -rf build; tests/distros all none 2>&1 >/dev/null; tests/gate | grep distros)"

# .ci/run: the parts' figures are added up, their failures seen.
ci() { # CHECK LINT ASAN-QUICK: STATUS:OUTPUT of each
    local name word
    for name in check lint asan-quick; do
        word=$1
        shift
        echo "${word%%:*}" >"$PARTS/$name.status"
        printf '%b' "${word#*:}" >"$PARTS/$name"
    done
    rm -rf "$SETUP_LOG" build
    run env -u CI .ci/run
    last=$(tail -n 1 <<<"$out")
}
ci '0:ok\n10 passed, 0 failed\n' 0: '0:5 passed, 0 failed\n'
same "all pass" "0 16 passed, 0 failed" "$status $last"
same "everything is installed first, the linters, too" "check lint" "$(paste -sd' ' "$SETUP_LOG")"
has "a part's lines begin with its name" "[asan-quick] 5 passed, 0 failed" "$out"
ci '0:10 passed, 0 failed, 2 skipped\n' 0: '0:5 passed, 0 failed\n'
same "a closing line with skipped tests" "0 16 passed, 0 failed" "$status $last"
has "skipped tests are told" "2 skipped" "$(grep -v '^\[' <<<"$out")"
ci '2:not ok - build\n10 passed, 1 failed\n' 0: '0:5 passed, 0 failed\n'
same "a failed test" "1 16 passed, 1 failed" "$status $last"
has "it is seen at the end" "[check] not ok - build" "$(tail -n 2 <<<"$out")"
ci '0:10 passed, 0 failed\n' '1:a.c:1: warning: bad\n' '0:5 passed, 0 failed\n'
same "linters that complain" "1 15 passed, 1 failed" "$status $last"
has "what they say is seen" "[lint] a.c:1: warning: bad" "$out"
has "and, at the end, that they failed, and why" $'not ok - lint: ended with status 2\n[lint] a.c:1: warning: bad' "$(tail -n 4 <<<"$out")"
ci '0:10 passed, 0 failed\n' 0: '2:make: *** no rule\n'
same "a part that ends without its closing line" "1 11 passed, 1 failed" "$status $last"
ci '2:10 passed, 0 failed\n' 0: '1:5 passed, 0 failed\n'
same "parts that fail after a good closing line" "1 16 passed, 2 failed" "$status $last"
