#!/bin/bash
# Without npm, or with an npm that reaches nothing, the build goes on without the report's page. That is said once,
# and the tests that need the page count as skipped; in CI it is one failure.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# A machine with all tools but npm.
mkdir -p bin build/gen
old=$IFS
IFS=:
for folder in $PATH; do
    for tool in "$folder"/*; do
        [ "${tool##*/}" = npm ] || [ -e "bin/${tool##*/}" ] || ln -s "$tool" "bin/${tool##*/}" 2>/dev/null
    done
done
IFS=$old

same "without npm: the bundle is made empty" "0 0" "$(
    PATH=$PWD/bin sh "$here/page/bundle.sh" build/gen 2>bare.err
    echo $? "$(wc -c <build/gen/report_tail.html)"
)"
has "without npm: says what to do" "apt-get install npm" "$(cat bare.err)"
has "without npm: make tries again, and tests know why" "npm is missing" "$(cat build/gen/report_missing)"
if command -v npm >/dev/null; then
    rm -rf build/gen && mkdir build/gen
    # nobody listens there
    npm_config_registry=http://127.0.0.1:9 npm_config_cache=$PWD/npm-cache npm_config_fetch_retries=0 \
        sh "$here/page/bundle.sh" build/gen 2>dead.err
    same "npm reaches nothing: the bundle is made empty" "0 0" "$? $(wc -c <build/gen/report_tail.html)"
    has "npm reaches nothing: says so" "npm could not fetch the libraries" "$(cat dead.err)"
    has "npm reaches nothing: make tries again" "npm could not fetch" "$(cat build/gen/report_missing)"
fi

# A fisql without the page, of this build's objects.
rm -rf build && mkdir build
cp -a "$FISQL_BUILD"/{obj,needs} "$FISQL_BUILD"/libfisql* build/
mkdir build/gen && cp -a "$FISQL_BUILD"/gen/{embedded.c,prefix} build/gen/
rm -f build/obj/report_page.*
asan=
! nm "$fisql" | grep -q __asan_init || asan=-fsanitize=address,undefined
PATH=$PWD/bin make --no-print-directory -s -C "$here" BUILD="$PWD/build" SANITIZE="$asan" all >make.log 2>&1
report $? "fisql builds without npm" "$(tail -n 5 make.log)"
run build/fisql report run.db
same "fisql report: what it says" "2" "$status"

suite() { # TEST...: as `make check` runs them, with CI as it is
    "$here/tests/run" begin build
    "$here/tests/run" page build
    "$here/tests/run" e2e build "${@/#/$here/tests/e2e/}"
    "$here/tests/run" summary build
}
run env -u CI bash -c "$(declare -f suite); here=$here; suite report.sh report_diff.sh value_expressions.sh digest.sh"
same "the suite passes" 0 "$status"
same "it says once that the page is missing, and why" "1 1" "$(grep -c "the report's page is missing" <<<"$out") $(grep -c "npm is missing" <<<"$out")"
report "$(grep -qE '^[1-9][0-9]* passed, 0 failed, [45] skipped$' <<<"$(tail -n 1 <<<"$out")"; echo $?)" \
    "its tests are skipped, not failed" "$out"
run env CI=true bash -c "$(declare -f suite); here=$here; suite report.sh"
same "in CI it is one failure" "1 0 passed, 1 failed, 1 skipped" "$status $(tail -n 1 <<<"$out")"
