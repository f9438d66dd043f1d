#!/bin/bash
# What the C library keeps until the program ends (stdout's buffer, libstdc++'s memory for exceptions, locales, the
# dynamic linker's) is no finding of not-freed: it is counted, and --all-blocks shows it. What the library makes for
# its caller stays one, with and without debug symbols of the library.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

cat >hello.c <<'C'
#include <stdio.h>
int main(void)
{
    printf("hello\n");
    return 0;
}
C
cat >hello.cc <<'C'
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
int main()
{
    std::thread thread([] { std::cout << "from a thread\n"; });
    thread.join();
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &error) {
        std::cout << error.what() << std::endl;
    }
    std::string line;
    while (std::getline(std::cin, line))
        std::cout << line << '\n';
}
C
# Exactly one block of each of these, by functions of the library; and stdout's buffer.
cat >leaks.c <<'C'
#define _GNU_SOURCE
#include <dirent.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char *volatile kept[4];
void *volatile opened[2];
int main(void)
{
    char *line = NULL, *text = NULL;
    size_t size = 0;
    puts("leaks");
    kept[0] = strdup("strdup");
    kept[1] = asprintf(&text, "%s", "asprintf") > 0 ? text : NULL;
    kept[2] = getline(&line, &size, stdin) > 0 ? line : NULL;
    kept[3] = malloc(10);
    opened[0] = fopen("/dev/null", "r");
    opened[1] = opendir("/");
    return 0;
}
C

# record NAME: the program's database
record() {
    "$fisql" record -q -o "$1.bin" "./$1" <"$here/README.md" >/dev/null && "$fisql" load -q "$1.bin"
}

# nothing_kept NAME LEAST: not-freed passes, and names what it leaves out
nothing_kept() {
    local live
    record "$1"
    live=$(sql "$1.db" "SELECT count(*) || iif(count(*) <> 1, ' blocks (' || sum(size) || ' bytes) that the C library keeps are left out; --all-blocks shows them',
        ' block (' || sum(size) || ' bytes) that the C library keeps is left out; --all-blocks shows it') FROM allocs WHERE free_ns IS NULL")
    run "$fisql" query not-freed --check "$1.db"
    same "$1: not-freed --check passes" 0 "$status"
    same "$1: all that lives is told" "fisql: not-freed: nothing found
fisql: not-freed: $live" "$err"
    at_least "$1: there is something" "$2" "${live%% *}"
    run "$fisql" query not-freed --all-blocks --check "$1.db" --format json
    same "$1: --all-blocks shows them" "1 ${live%% *}" "$status $(jq 'map(.blocks) | add' out)"
    lacks "$1: and says nothing of blocks left out" "left out" "$err"
}

build gcc hello_c -O1 hello.c && nothing_kept hello_c 1
build gcc hello_c_static -O1 -static hello.c && nothing_kept hello_c_static 1
build g++ hello_cxx -O1 hello.cc && nothing_kept hello_cxx 2
build g++ hello_cxx_static -O1 -static hello.cc && nothing_kept hello_cxx_static 2
run "$fisql" query --all hello_cxx.db
lacks "--all: no finding either" "Not freed (" "$out"
has "--all: tells what is left out" "that the C library keeps are left out" "$err"
run "$fisql" query --all --all-blocks hello_cxx.db
has "--all --all-blocks: a finding" "Not freed (" "$out"
run "$fisql" query hot-functions --all-blocks hello_cxx.db
same "a query that leaves out nothing refuses --all-blocks" "2 fisql: hot-functions: --all-blocks: it leaves out no blocks" "$status $err"
run "$fisql" query not-freed -p all_blocks=1 --check hello_c.db
same "-p all_blocks=1 is the same" "1 " "$status $err"

# Debug symbols give names to functions of the library that it does not export. They are found by its build-id: a copy
# with another one has none.
build gcc leaks -O1 leaks.c
mkdir lib
python3 -c '
import sys
data = bytearray(open(sys.argv[1], "rb").read())
note = data.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
data[note:note + 20] = bytes(20)
open(sys.argv[2], "wb").write(data)' "$(sql hello_c.db "SELECT path FROM modules WHERE name GLOB 'libc.so*'")" lib/libc.so.6
for symbols in found none; do
    if [ $symbols = none ]; then export LD_LIBRARY_PATH=$PWD/lib; fi
    record leaks
    unset LD_LIBRARY_PATH
    run "$fisql" query not-freed leaks.db --format json
    same "what the library makes for its caller is listed (debug symbols: $symbols)" 6 "$(jq 'map(.blocks) | add' out)"
    has "the buffers of stdin and stdout are not (debug symbols: $symbols)" "not-freed: 2 blocks (" "$err"
done
same "debug symbols none: what is not exported has no name" 1 "$(sql leaks.db "SELECT count(*) > 0 FROM allocs a
    JOIN site_details s ON s.id = a.site_id WHERE a.free_ns IS NULL AND s.function IS NULL")"
