#!/bin/bash
# fisql record --value with formats: hex, oct, char, flags, dump; and registers of functions without debug information.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
asked=(--value 'open_file: flags:flags(O_*, MINE=0x40000000), mode:oct, flags + 0:hex'
    --value 'mapped: prot:flags(PROT_READ, PROT_WRITE), flags:flags(MAP_*)' --value 'put: c:char, buf:dump(4), n:hex, buf:dump(2) at exit, buf[0]:hex at both')
wanted='open_file(path="/etc/passwd", flags=O_WRONLY|O_CREAT|O_TRUNC, mode=0644, flags + 0=0x241) = 47
open_file(path="x", flags=O_RDONLY, mode=0, flags + 0=0x0) = 121
open_file(path="y", flags=O_RDONLY|O_NOCTTY|MINE, mode=07, flags + 0=0x40000100) = 121
open_file(path="z", flags=-1, mode=0177777, flags + 0=0xffffffff) = 122
mapped(at=NULL, bytes=4096, prot=PROT_READ|PROT_WRITE, flags=MAP_PRIVATE|MAP_ANONYMOUS) = 0
put(c=65 '"'A'"', buf=@, n=0xffffffffffffffff, buf:dump(4)=x010203ff, buf:dump(2) at exit=x4102, buf[0]=0x1, buf[0] at exit=0x41) = 65
put(c=7, buf=@, n=0x1, buf:dump(4)=x410203ff, buf:dump(2) at exit=x0702, buf[0]=0x41, buf[0] at exit=0x7) = 7
put(c=66 '"'B'"', buf=@, n=0x0, buf:dump(4)=?, buf:dump(2) at exit=x4200, buf[0]=0x0, buf[0] at exit=0x42) = 66
put(c=67 '"'C'"', buf=@, n=0x0, buf:dump(4)=x00000000, buf:dump(2) at exit=x4300, buf[0]=0x0, buf[0] at exit=0x43) = 67'
calls() { sql run.db "SELECT text FROM call_text WHERE text NOT GLOB 'main*' ORDER BY call_id" | sed 's/buf=0x[0-9a-f]*/buf=@/'; }

kinds="hooks"
[ "$(uname -m)" = x86_64 ] && kinds="hooks as-is"
for kind in $kinds; do
    for with in "gcc -O0" "clang -O0" "gcc -O1"; do
        compile=("$fisql" cc)
        [ "$kind" = hooks ] || compile=()
        # shellcheck disable=SC2086 # words
        "${compile[@]}" $with -g -w -o program "$programs/values/formats.c" || { not_ok "$with: it builds"; continue; }
        "$fisql" record -q "${asked[@]}" ./program && "$fisql" load -q run.bin
        same "$kind, $with: formats" "$wanted" "$(calls)"
        same "$kind, $with: fisql trace shows the same, and changes as such" "$(sed -E 's/buf\[0\]=([0-9xa-f]*), buf\[0\] at exit=/buf[0]=\1 -> /' <<<"$wanted")" \
            "$("$fisql" trace --color never run.db | sed -n 's/^.*  \(\(open_file\|mapped\|put\)(.*\) = \([0-9]*\)  .*$/\1 = \3/p' | sed 's/buf=0x[0-9a-f]*/buf=@/')"
        same "$kind, $with: what is counted equals SQL over the rows" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/values.sql" 2>&1 | head -5)"
        has "$kind, $with: a query's rows have it, too" '"O_WRONLY|O_CREAT|O_TRUNC (25.0 %)' \
            "$("$fisql" query arguments --function open_file --format csv run.db | sed 's/,O_WRONLY/,"O_WRONLY/;s/" (/ (/')"
    done
done

# ---- what is wrong
refused() { # PROGRAM REQUEST WORDS
    run "$fisql" record -q --value "$2" "./$1"
    same "refused: $2" 2 "$status"
    has "it says why" "$3" "$err"
}
gcc -g -O1 -w -o program "$programs/values/formats.c"
refused program 'put: c:hexx' 'no such format: there are hex, oct, char, flags(NAME, ...) and dump(BYTES)'
refused program 'put: c:flags(O_NOPE)' 'no flag of Linux is named so: give its value, NAME=VALUE'
refused program 'put: c:flags(ZZZ_*)' 'no flag of Linux begins so'
refused program 'put: c:flags()' 'a flag is expected here'
refused program 'put: c:flags(A=x)' 'a number is expected here'
refused program 'put: c:dump(4)' '`c` is int: a dump is of what a pointer points to'
refused program 'put: buf:char' '`buf` is unsigned char *: this format is one of integers'
refused program 'put: buf:dump(65)' 'a dump has 1 to 64 bytes'
refused program 'put: buf:dump(4' '`(` is not closed'
refused program 'put: :hex' 'before this an expression is missing'
refused program 'put: c:hex:oct' 'one format is enough'

# ---- registers, of a program without debug information
[ "$(uname -m)" = x86_64 ] || exit 0
gcc -O1 -g0 -w -o bare "$programs/values/formats.c"
"$fisql" record -q --value 'open_file: (char*)arg1, (int)arg2:flags(O_*), (unsigned)arg3:oct' --value 'map*: registers' \
    --value 'put: (int)rdi:char, rsi:dump(4), rdx:hex, (int)rax:hex' ./bare && "$fisql" load -q run.bin
same "registers in formats" 'open_file((char*)arg1="/etc/passwd", (int)arg2=O_WRONLY|O_CREAT|O_TRUNC, (unsigned)arg3=0644)
open_file((char*)arg1="x", (int)arg2=O_RDONLY, (unsigned)arg3=0)
open_file((char*)arg1="y", (int)arg2=1073742080, (unsigned)arg3=07)
open_file((char*)arg1="z", (int)arg2=-1, (unsigned)arg3=0177777)
put((int)rdi=65 '"'A'"', rsi:dump(4)=x010203ff, rdx=0xffffffffffffffff) = 0x41
put((int)rdi=7, rsi:dump(4)=x410203ff, rdx=0x1) = 0x7
put((int)rdi=66 '"'B'"', rsi:dump(4)=?, rdx=0x0) = 0x42
put((int)rdi=67 '"'C'"', rsi:dump(4)=x00000000, rdx=0x0) = 0x43' "$(calls | grep -v mapped)"
same "registers: the six, raw, of all functions that a pattern means" 'mapped(arg1=NULL, arg2=0x1000, arg3=0x3, arg4=0x22' "$(calls | sed -n 's/\(mapped.*\), arg5=.*, arg6=.*/\1/p')"
same "their type is told" "register" "$(sql run.db "SELECT DISTINCT type FROM parameters JOIN functions f ON f.id = function_id WHERE f.name = 'mapped'")"
refused bare 'put: xmm0:hex' 'no debug information describes this function'
refused bare 'put: registers:dump(4) at exit' 'no debug information describes this function'
refused program 'put: registers' 'there is no parameter `registers`'
