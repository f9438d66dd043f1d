#!/bin/bash
# `make` prints a line for each file that it makes; V=1 prints the commands, -s nothing.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

object=$TEST_TMP/build/obj/base/utf8.o
one() { # ARGUMENT...: one object, in a build folder of its own
    rm -rf "$TEST_TMP/build/obj"
    run env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory -C "$here" BUILD="$TEST_TMP/build" "$object" "$@"
}
one
same "a file: one line" "0   CC   $object" "$status $out"
same "and the file is there" yes "$([ -s "$object" ] && echo yes)"
one V=1
has "V=1: the command" " -c -o $object base/utf8.c" "$out"
lacks "V=1: no line beside it" "  CC " "$out"
one -s
same "-s: nothing" "0 " "$status $out"
one CPPFLAGS=-include\ nowhere.h
same "an error ends it" 2 "$status"
has "and is told" "nowhere.h" "$err"
commands=$(cd "$here" && env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory -nk V=1 BUILD="$TEST_TMP/build" "$object" | tests/compdb)
has "the commands are those of compile_commands.json" '"file": "base/utf8.c"' "$commands"
