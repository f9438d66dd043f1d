#!/bin/bash
# --only and --exclude find a program's functions without running any of it, whatever libc it was linked with and
# however; fisql cc knows every spelling of static linking; no file is left behind.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# Says that it ran, and takes what it gets on its standard input.
cat >side.c <<'C'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int work(int i) { return i ^ 3; }
__attribute__((noinline)) int other(int i) { return i ^ 5; }
int main(int argc, char **argv)
{
    char input[64];
    FILE *file = fopen("ran.log", "a");
    fprintf(file, "ran with %d arguments\n", argc - 1);
    fclose(file);
    ssize_t got = read(0, input, sizeof input);
    volatile int sum = 0;
    for (int i = 0; i < 100; i++) sum += work(i) + other(i);
    printf("read %zd\n", got);
    if (argc < 2) pause();
    return 0;
}
C
echo "-static" >response.txt
printf -- '-g "-static" -O1\n' >response2.txt
for compiler in gcc clang; do
    for flag in "" -static --static -static-pie --static-pie @response.txt @response2.txt; do
        [ "$compiler $flag" = "clang --static-pie" ] && continue # it does not know that
        # shellcheck disable=SC2086 # no flag, or one
        build $compiler side $flag side.c
        rm -f ran.log
        echo input | timeout 20 "$fisql" record -q --exclude work ./side now >out.txt 2>err.txt
        same "$compiler $flag: run once, with its input" "0 read 6 ran with 1 arguments" \
            "$? $(cat out.txt err.txt ran.log | tr '\n' ' ' | sed 's/ $//')"
        "$fisql" load -q run.bin
        same "$compiler $flag: what is not excluded is recorded" "main 1
other 100" "$(counts run.db | grep -E '^(main|work|other) ')"
    done
done
"$fisql" cc gcc -w -g -c side.c
"$fisql" cc gcc --static -o side side.o
"$fisql" record -q --only work ./side now <<<input >/dev/null
"$fisql" load -q run.bin
same "--static where only objects are linked" "work 100" "$(counts run.db)"

# Programs without hooks: nothing is recorded, and they are not run to find that out.
for compiler in "gcc -static" "gcc -static-pie" musl-gcc "musl-gcc -static"; do
    command -v "${compiler%% *}" >/dev/null || { not_ok "$compiler: tests/setup installs it" && continue; }
    $compiler -w -g -o plain side.c
    rm -f ran.log
    echo input | timeout 20 "$fisql" record -q --exclude nothing ./plain >out.txt 2>err.txt
    same "$compiler, without hooks: not run" "2 fisql: ./plain: no function's name or file matches nothing" \
        "$? $(cat out.txt err.txt ran.log 2>/dev/null)"
done

# Libraries: by their path, beside the program, in a folder that the environment names, of a script's interpreter.
echo 'int in_library(int i) { return i + 1; } int beside(int i) { return i; }' >library.c
cat >user.c <<'C'
int in_library(int);
int beside(int);
int main(void) { for (int i = 0; i < 10; i++) beside(in_library(i)); return 0; }
C
mkdir -p lib
build gcc lib/libby.so -shared -fPIC -g library.c
build gcc user -g user.c ./lib/libby.so
# shellcheck disable=SC2016 # for the dynamic linker
build gcc user2 -g user.c -Llib -lby -Wl,-rpath,'$ORIGIN/lib'
build gcc user3 -g user.c -Llib -lby
printf '#! ./user2 argument\n' >script
chmod +x script
ln -sf ../user2 lib/link
for program in ./user ./user2 ./user3 ./script lib/link; do
    LD_LIBRARY_PATH=$([ $program = ./user3 ] && echo lib) "$fisql" record -q --only in_library $program
    "$fisql" load -q run.bin
    same "$program: the functions of its library" "in_library 10" "$(counts run.db)"
done

# A program that comes to another user, and then runs: what is recorded is chosen there too.
cat >user4.c <<'C'
#include <unistd.h>
__attribute__((noinline)) void work(int i) { (void)i; }
__attribute__((noinline)) void other(int i) { (void)i; }
int main(int argc, char **argv)
{
    for (int i = 0; i < 10; i++) { work(i); other(i); }
    if (argc > 1) return 0;
    char *again[] = {argv[0], "again", NULL};
    return setuid(65534) != 0 || execv("/proc/self/exe", again);
}
C
build gcc user4 -g user4.c
if [ "$(id -u)" -eq 0 ]; then
    # fisql may lie where others cannot read it.
    mkdir -p bin
    cp "$FISQL_BUILD/fisql" "$FISQL_BUILD/libfisql.so" bin
    chmod 755 . bin user4
    bin/fisql record -q --only work ./user4
    "$fisql" load -q run.bin
    same "after setuid and exec: only what is asked for" "work 20" "$(counts run.db)"
fi

# The list of functions is no file that could be left behind when fisql is killed.
build gcc side -g side.c
rm -f ran.log
"$fisql" record -q --only work ./side <<<input >/dev/null &
recorder=$!
until [ -s ran.log ]; do sleep 0.02; done
program=$(pgrep -P $recorder -x side)
same "the options name no file" FISQL_OPTIONS=filter "$(tr '\0' '\n' <"/proc/$program/environ" | grep ^FISQL_OPTIONS)"
kill "$program"
wait $recorder 2>/dev/null
