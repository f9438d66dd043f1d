#!/bin/bash
# Where people build: CMake, Meson, pkg-config; and what fisql-ci says of a pull request that does more than it should.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
PATH=$FISQL_BUILD:$here/packaging/ci:$PATH

# --- CMake: the named target alone is recorded, with both generators

mkdir -p project && cd project || exit 2
cat >app.c <<'C'
int helper(int n);
int work(int n) { return n > 0 ? work(n - 1) + helper(n) : 0; }
int main(void) { return work(9) != 45; }
C
echo 'int helper(int n) { return n; }' >helper.c
cat >CMakeLists.txt <<C
cmake_minimum_required(VERSION 3.21)
project(app C)
include($here/packaging/cmake/fisql.cmake)
add_library(helper STATIC helper.c)
add_executable(app app.c)
target_link_libraries(app helper)
fisql_instrument(app)
add_executable(plain app.c)
target_link_libraries(plain helper)
C
if command -v cmake >/dev/null; then
    generators=("Unix Makefiles")
    command -v ninja >/dev/null && generators+=(Ninja)
    for generator in "${generators[@]}"; do
        build=build-${generator##* }
        run cmake -G "$generator" -S . -B "$build"
        same "cmake, $generator: configures" 0 "$status"
        run cmake --build "$build"
        same "cmake, $generator: builds" 0 "$status"
        "$fisql" record -q -o cmake.bin "$build/app" && "$fisql" load -q -o cmake.db cmake.bin
        same "cmake, $generator: the named target is recorded, its library is not" "main 1
work 10" "$(counts cmake.db)"
        same "cmake, $generator: another target has no hooks" 0 "$(nm "$build/plain" | grep -c __cyg_profile_func_enter)"
    done
    run cmake -DFISQL=OFF -S . -B build-off
    cmake --build build-off >/dev/null 2>&1
    same "cmake: -DFISQL=OFF leaves it out" 0 "$(nm build-off/app | grep -c __cyg_profile_func_enter)"
    sed 's/fisql_instrument(app)/fisql_instrument(nothing)/' CMakeLists.txt >wrong.txt
    mkdir wrong && cp app.c helper.c wrong && mv wrong.txt wrong/CMakeLists.txt
    run cmake -S wrong -B build-wrong
    has "cmake: a target that is not there is an error" "there is no target nothing" "$err"
else
    echo "skipped - CMake: it is not installed"
fi

# --- Meson: the native file

cat >meson.build <<'M'
project('app', 'c')
executable('app', ['app.c', 'helper.c'])
M
if command -v meson >/dev/null && command -v ninja >/dev/null; then
    run meson setup --native-file "$here/packaging/meson/fisql.ini" build-meson
    same "meson: configures" 0 "$status"
    run ninja -C build-meson
    "$fisql" record -q -o meson.bin build-meson/app && "$fisql" load -q -o meson.db meson.bin
    same "meson: all is recorded" "helper 9
main 1
work 10" "$(counts meson.db)"
else
    echo "skipped - Meson: it is not installed"
fi

# --- Bazel: --config=fisql. Without the network, with Debian's copies of the rules that it would fetch.

if command -v bazel >/dev/null && [ -d /usr/share/bazel/rules/cc ]; then
    mkdir bazel && cp app.c helper.c bazel && cd bazel || exit 2
    echo 'cc_binary(name = "app", srcs = ["app.c", "helper.c"])' >BUILD.bazel
    touch WORKSPACE
    {
        sed "s|/usr/share/fisql|$here/packaging|" "$here/packaging/bazel/fisql.bazelrc"
        echo "common --noenable_bzlmod --enable_workspace"
        for each in platforms:tools/platforms bazel_skylib:tools/skylib rules_{cc:rules/cc,java:rules/java,proto:rules/proto,python:rules/python,license:rules/license}; do
            echo "common --override_repository=${each%:*}=/usr/share/bazel/${each#*:}"
        done
    } >.bazelrc
    run bazel --output_user_root="$TEST_TMP/bazel-root" build //:app
    same "bazel: builds" 0 "$status"
    same "bazel: without --config=fisql there are no hooks" 0 "$(nm bazel-bin/app | grep -c __cyg_profile_func_enter)"
    run bazel --output_user_root="$TEST_TMP/bazel-root" build --config=fisql //:app
    same "bazel: builds with --config=fisql" 0 "$status"
    "$fisql" record -q -o bazel.bin bazel-bin/app && "$fisql" load -q -o bazel.db bazel.bin
    same "bazel: all is recorded" "helper 9
main 1
work 10" "$(counts bazel.db)"
    same "bazel: with the line of each" "1 3" "$(sql bazel.db "SELECT (count(file_id) = 3) || ' ' || count(line) FROM functions WHERE name IN ('main', 'work', 'helper')")"
    bazel --output_user_root="$TEST_TMP/bazel-root" shutdown >/dev/null 2>&1
    chmod -R u+w "$TEST_TMP/bazel-root" # its copies are read-only, and the folder is to be removed
    cd .. || exit 2
else
    echo "skipped - Bazel: it is not installed, or not Debian's"
fi
same "bazel: fisql-gcc compiles with hooks" 1 "$("$here/packaging/bazel/fisql-gcc" -c -o app.o app.c && nm app.o | grep -c 'U __cyg_profile_func_enter')"
cd .. || exit 2

# --- pkg-config: where the macros are

mkdir -p pc && sed "s|@PREFIX@|$TEST_TMP/prefix|; s|@VERSION@|1|" "$here/packaging/fisql.pc.in" >pc/fisql.pc
mkdir -p prefix/include && cp "$here"/collector/fisql{,_trace}.h prefix/include
printf '#include <fisql_trace.h>\nint main(void) { FISQL_FUNCTION(1); return 0; }\n' >macros.c
if command -v pkg-config >/dev/null; then
    # shellcheck disable=SC2046 # options
    gcc -o macros macros.c $(PKG_CONFIG_PATH=pc pkg-config --cflags --libs fisql)
    same "pkg-config: a program with the macros builds" 0 $?
    same "pkg-config: and runs without fisql" 0 "$(./macros && echo 0)"
else
    echo "skipped - pkg-config: it is not installed"
fi

# --- pull requests: a repository with a base branch, and changes that are good and bad

mkdir repository && cd repository || exit 2
git init -q -b main && git config user.email test@example.org && git config user.name test
cat >app.c <<'C'
#include <stdlib.h>
static int work(int n) { return n > 0 ? work(n - 1) + 1 : 0; }
int main(void)
{
    void *block = malloc(16);
    int done = work(100);
    free(block);
    return done != 100;
}
C
printf 'all:\n\t$(CC) -g -O1 -o app app.c\n' >Makefile
printf 'app\nfisql-ci\n*.db*\n' >.gitignore
git add . && git commit -qm base
compile() { make -s CC="fisql cc gcc"; }
compile
run fisql-ci compare fleet.db main ./app
same "fisql-ci: without a run of the base branch there is nothing to compare" 0 "$status"
has "fisql-ci: and the comment says so" "there is nothing to compare with" "$(cat fisql-ci/comment.md)"
run fisql-ci record fleet.db ./app
same "fisql-ci record: adds the run to the store" "0 1" "$status $("$fisql" fleet runs fleet.db --format csv 2>/dev/null | grep -c app)"
run fisql-ci record fleet.db ./app
same "fisql-ci record: of each commit once" 1 "$("$fisql" fleet runs fleet.db --format csv 2>/dev/null | grep -c app)"
git checkout -qb good && sed -i 's/work(n - 1) + 1/1 + work(n - 1)/' app.c && git commit -qam good && compile
run fisql-ci compare fleet.db main ./app
same "fisql-ci compare: a change that costs nothing is good" 0 "$status"
has "fisql-ci compare: the comment says so" "The budgets are kept, compared with $(git rev-parse --short main)" "$(cat fisql-ci/comment.md)"
has "fisql-ci compare: and reviews the function that changed" "work" "$(cat fisql-ci/comment.md)"
git checkout -q main && git checkout -qb bad && sed -i 's/work(100)/(work(50), malloc(99) == NULL) + work(100)/' app.c && git commit -qam bad && compile
run fisql-ci compare fleet.db main ./app
same "fisql-ci compare: more calls, and memory that is not freed, break budgets" 1 "$status"
has "fisql-ci compare: the comment says which" "**A budget is broken**" "$(cat fisql-ci/comment.md)"
has "fisql-ci compare: calls" "calls" "$(grep '^    ' fisql-ci/comment.md)"
has "fisql-ci compare: memory" "not_freed_bytes" "$(grep '^    ' fisql-ci/comment.md)"
run env FISQL_CI_CHECKS='calls>+1000%' fisql-ci compare fleet.db main ./app
same "fisql-ci compare: budgets may be others" 0 "$status"
run fisql-ci compare fleet.db main sh -c './app; exit 3'
same "fisql-ci compare: tests that fail are no success" 1 "$status"
run fisql-ci compare fleet.db nowhere ./app
same "fisql-ci compare: an unknown branch is an error" 2 "$status"
has "fisql-ci compare: with what to do" "nowhere: no such branch or commit here: fetch all of them" "$err"
run fisql-ci
same "fisql-ci: says how it is used" 2 "$status"
has "fisql-ci: by its own comment" "fisql-ci compare STORE BASE COMMAND..." "$err"
for file in "$here"/packaging/ci/*.yml; do
    has "${file##*/}: records the base branch" 'fisql-ci record fleet.db sh -c "$TESTS"' "$(cat "$file")"
    has "${file##*/}: compares" 'fisql-ci compare fleet.db' "$(cat "$file")"
    if python3 -c 'import yaml' 2>/dev/null; then
        python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$file"
        same "${file##*/}: is sound YAML" 0 $?
    fi
done
