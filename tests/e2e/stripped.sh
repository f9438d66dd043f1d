#!/bin/bash
# Names of programs as distributions ship them: stripped, with what is left in the file or lies elsewhere.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
dump=$FISQL_BUILD/symbols_dump
cd "$TEST_TMP" || exit 2

cat >shop.c <<'C'
#include <stdio.h>
__attribute__((noinline)) static int price(int item) { return item * 3 + 1; }
__attribute__((noinline)) int total(int items)
{
    int sum = 0;
    for (int i = 0; i < items; i++)
        sum += price(i) ^ sum;
    return sum;
}
int main(int count, char **words)
{
    (void)words;
    printf("%d\n", total(count * 100));
    return 0;
}
C
gcc -O2 -g -rdynamic -Wl,--build-id -o whole shop.c
strip -o stripped whole
names() { "$dump" "$@" | cut -f1,5 | grep -E '(main|total|price)$' | sort -k2; } # address and name

# MiniDebugInfo, made as gdb's manual says
mini_debug() { # PROGRAM OUTPUT
    nm -D "$1" --format=posix --defined-only | awk '{ print $1 }' | LC_ALL=C sort >dynamic
    nm "$1" --format=posix --defined-only | awk '$2 == "T" || $2 == "t" || $2 == "D" { print $1 }' | LC_ALL=C sort >all
    LC_ALL=C comm -13 dynamic all >kept
    objcopy --only-keep-debug "$1" only
    objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=kept only packed
    rm -f packed.xz && xz packed
    strip --strip-all -R .comment -o "$2" "$1"
    objcopy --add-section .gnu_debugdata=packed.xz "$2"
}
mini_debug whole mini
same "stripped: exported functions alone" "main total" "$(names ./stripped | cut -f2 | xargs)"
same "MiniDebugInfo names the other functions" "$(names ./whole)" "$(names ./mini)"
same "they are symbols of the file's" "source	symtab" "$("$dump" -q ./mini | grep source)"
objcopy --remove-section .gnu_debugdata mini bare
with_section() { # FILE: the program with this in place of its section
    objcopy --add-section .gnu_debugdata="$1" bare other
}
head -c 300M /dev/zero | xz -0 >bomb
head -c 300 packed.xz >short
cp packed.xz late && printf x | dd of=late bs=1 seek=$(($(stat -c %s late) - 20)) conv=notrunc 2>/dev/null
echo nonsense >nonsense
xz <nonsense >no_elf
: | xz >nothing
for file in bomb short late nonsense no_elf nothing; do
    with_section $file
    same "MiniDebugInfo that is $file counts as none" "$(names ./stripped)" "$(names ./other)"
done
cat >damage.py <<'END'
import random, subprocess, sys
random.seed(11)
base = open("packed.xz", "rb").read()
bad = 0
for turn in range(60):
    data = bytearray(base)
    for _ in range(random.choice([1, 5])):
        data[random.randrange(len(data))] = random.randrange(256)
    open("damaged.xz", "wb").write(data)
    subprocess.run(["objcopy", "--add-section", ".gnu_debugdata=damaged.xz", "bare", "damaged"], check=True)
    bad += subprocess.run([sys.argv[1], "./damaged"], capture_output=True, timeout=60).returncode not in (0, 2)
print(bad)
END
same "60 damaged ones are read without a crash" 0 "$(python3 damage.py "$dump")"

# Functions that only unwind information knows
cat >parts.cc <<'C'
#include <cstdio>
#include <stdexcept>
__attribute__((cold, noinline)) static void refuse(int x) { throw std::runtime_error(x > 5 ? "large" : "small"); }
__attribute__((noinline)) static int check(int x) { if (__builtin_expect(x > 3, 0)) { std::puts("no"); refuse(x); } return x + 1; }
struct Base { virtual int run(int x) { return check(x); } virtual ~Base() {} };
struct Derived : Base { int run(int x) override { return check(x) * 2; } };
int main(int count, char **) {
    Base *base = count > 1 ? new Base : new Derived;
    try { std::printf("%d\n", base->run(count)); } catch (const std::exception &e) { std::puts(e.what()); }
    delete base;
}
C
# Where functions start, by the symbol table: not parts of functions, _start, nor clang's own function where it has no unwind
# information, as before clang 16.
starts() {
    local without='\.cold|^_start$'
    readelf --debug-dump=frames "$1" | grep -q "pc=0*$(nm "$1" | awk '$3 == "__clang_call_terminate" { sub(/^0+/, "", $1); print $1 }')\.\." ||
        without="$without|^__clang_call_terminate\$"
    readelf -sW "$1" | awk -v without="$without" '$4 == "FUNC" && $7 != "UND" && $3 > 0 && $8 !~ without { sub(/^0+/, "", $2); print $2 }' | sort -u
}
own() { "$dump" -f "$1" | awk -F'\t' '$2 > 0 && $5 !~ /^(_start|_init|_fini|frame_dummy|.*_tm_clones|__do_global_dtors_aux)$/ { print $1 }' | sort -u; }
for compiler in "gcc shop.c" "clang shop.c" "g++ parts.cc" "clang++ parts.cc"; do
    for flags in -O0 -O2 "-O2 -no-pie"; do
        # shellcheck disable=SC2086 # lists of words
        $compiler $flags -o app && strip -o bare_app app
        same "${compiler% *} $flags: functions of a stripped program are those of the whole one" "$(starts app)" "$(own bare_app)"
        same "${compiler% *} $flags: functions with symbols keep their names" "" \
            "$("$dump" -f app | cut -f5 | grep -F '+0x')"
        lacks "${compiler% *} $flags: without the option there are none" "+0x" "$("$dump" bare_app)"
    done
done
gcc -O2 -o app shop.c && strip -o bare_app app
at=$(nm app | awk '$3 == "price" { sub(/^0+/, "", $1); print $1 }')
same "its name is the file's and its address" "bare_app+0x$at" "$("$dump" -f "$TEST_TMP/bare_app" | awk -F'\t' -v at="$at" '$1 == at { print $5 }')"
same "and its size that of the whole one's" "$("$dump" app | awk -F'\t' '$5 == "price" { print $2 }')" \
    "$("$dump" -f bare_app | awk -F'\t' -v at="$at" '$1 == at { print $2 }')"
has "an address within is its" "bare_app+0x$at" "$("$dump" -f -l "$(printf %x $((0x$at + 1)))" bare_app)"
same "MiniDebugInfo names them" "main price total" "$("$dump" -f ./mini | awk -F'\t' '$5 !~ /^_|tm_clones|dummy/ { print $5 }' | sort | xargs)"
# An exported symbol without a size does not take the functions behind it.
cat >sizeless.s <<'C'
        .globl  first, third
        .type   first, @function
        .type   third, @function
        .text
first:  .cfi_startproc
        nop
        ret
        .cfi_endproc
second: .cfi_startproc
        nop
        ret
        .cfi_endproc
third:  .cfi_startproc
        ret
        .cfi_endproc
C
gcc -shared -nostdlib -o sizeless.so sizeless.s && strip sizeless.so
same "a symbol without a size ends at the next function" "first 2 sizeless.so+0x 2 third 1" \
    "$("$dump" -f sizeless.so | awk -F'\t' '{ sub(/0x.*/, "0x", $5); print $5, $2 }' | xargs)"
gcc -O2 -g -Wl,--build-id -o app shop.c && strip --only-keep-debug -o app.debug app
same "cache: without the option" "$("$dump" app)" "$("$dump" -C -c cache app)"
same "cache: made without the option it does not serve it" "cached	0" "$("$dump" -C -c cache -f -q app | grep cached)"
same "cache: with the option" "$("$dump" -f app)" "$("$dump" -C -c cache -f app)"
same "cache: which is read the second time" "cached	1" "$("$dump" -C -c cache -f -q app | grep cached)"

# Inlined copies, by DWARF, against llvm-dwarfdump's list of them
cat >copies.h <<'C'
static inline int shared(int x) { return x * 2 + 1; }
C
cat >classes.h <<'C'
struct Cell {
    int v;
    Cell(int x) : v(x) {}
    int get() const { return v * 3; }
    virtual int twice() { return get() * 2; }
};
template <class T> inline T twist(T x) { return x ^ (x << 3); }
C
cat >one.c <<'C'
#include "copies.h"
static int own(int x) { return shared(x) + shared(x + 1); }
int one(int x) { return own(x) - own(x * 2); }
int (*pointer)(int) = shared;
int (*own_pointer)(int) = own;
C
cat >two.c <<'C'
#include <stdio.h>
#include "copies.h"
int one(int);
int two(int x) { int nested(int y) { return shared(y) + x; } return nested(x) + shared(x); }
int main(int count, char **words) { (void)words; printf("%d\n", one(count) + two(count)); return 0; }
C
cat >three.cc <<'C'
#include "classes.h"
int three(int x) { Cell c(x); return c.get() + twist(x); }
int (*pointer)(int) = twist<int>;
Cell *make(int x) { return new Cell(x); }
C
cat >four.cc <<'C'
#include "classes.h"
#include <cstdio>
int three(int);
Cell *make(int);
int main(int count, char **) { Cell d(count * 2); std::printf("%d\n", three(count) + twist(count) + d.get() + make(3)->twice()); }
C
sed 's/int nested.*return/return/; s/nested(x) + //' two.c >other.c # clang has no nested functions
# name copies: of the functions with code of their own
inlined() {
    llvm-dwarfdump --debug-info "$1" | awk '
        /DW_TAG_inlined_subroutine/ { open = 1 }
        open && /DW_AT_abstract_origin/ { split($0, part, "\""); count[part[2]]++; open = 0 }
        END { for (name in count) print name, count[name] }' | LC_ALL=C sort >all_copies
    "$dump" "$1" | cut -f6 | LC_ALL=C sort -u >with_code
    LC_ALL=C join all_copies with_code
}
for compiler in "gcc one.c two.c" "clang one.c other.c" "g++ three.cc four.cc" "clang++ three.cc four.cc"; do
    for flags in -O2 "-O3 -gdwarf-4" "-O2 -flto" -Os -O0; do
        # shellcheck disable=SC2086 # lists of words
        $compiler $flags -g -o app 2>err || {
            not_ok "$compiler $flags compiles"
            continue
        }
        same "${compiler%% *} $flags: inlined copies" "$(inlined app)" "$("$dump" -i app | awk '{ print $2, $1 }' | LC_ALL=C sort)"
    done
done
# Copies are of the functions of the other unit's header, too, and within split units.
gcc -O2 -g -o app one.c two.c
same "copies in all units count" "own 2 shared 8" "$("$dump" -i app | awk '$2 != "two" { print $2, $1 }' | sort | xargs)"
gcc -O2 -g -gsplit-dwarf -o app one.c two.c
same "split units, too" "own 2 shared 8" "$("$dump" -i app | awk '$2 != "two" { print $2, $1 }' | sort | xargs)"
same "cache: they are kept" "$("$dump" -i app)" "$("$dump" -C -c cache -q app >/dev/null; "$dump" -C -c cache -i app)"
"$fisql" cc gcc -O2 -g -o hooked one.c two.c
same "inlined copies with hooks are calls" "" "$("$dump" -i hooked)"

# Separate files: those that debuginfod's client has fetched, and those that a server gives
export HOME=$TEST_TMP/home no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH XDG_CACHE_HOME
mkdir -p "$HOME"
give() { # PROGRAM: strips it, puts its debug information where the server finds it, sets id
    id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
    mkdir -p "served/buildid/$id"
    objcopy --only-keep-debug "$1" "served/buildid/$id/debuginfo" && strip "$1"
}
gcc -O2 -g -Wl,--build-id -o app shop.c && cp app whole_app && give app
list=$("$dump" whole_app | cut -f1-5)
cached() { # FOLDER: the debug file in a cache there
    mkdir -p "$1/$id" && cp "served/buildid/$id/debuginfo" "$1/$id/debuginfo"
}
has "nothing fetched: no names" "no debug information" "$("$dump" -q app)$("$dump" -q app | grep -o 'no symbols' | sed 's/symbols/debug information/')"
cached fetched
same "what debuginfod's client fetched is used: DEBUGINFOD_CACHE_PATH" "$list" "$(DEBUGINFOD_CACHE_PATH=$TEST_TMP/fetched "$dump" app | cut -f1-5)"
cached xdg/debuginfod_client
same "XDG_CACHE_HOME" "$list" "$(XDG_CACHE_HOME=$TEST_TMP/xdg "$dump" app | cut -f1-5)"
cached "$HOME/.cache/debuginfod_client"
same "the usual folder" "$list" "$("$dump" app | cut -f1-5)"
gcc -O1 -g -Wl,--build-id -o "$HOME/.cache/debuginfod_client/$id/debuginfo" shop.c
lacks "another program's file is not used" shop.c "$("$dump" app)"
rm -rf "$HOME/.cache"
rm -f app && cp /bin/true app
mkdir -p "fetched/$id" && cp whole_app "fetched/$id/executable"
same "the program as it was" "$list" "$(DEBUGINFOD_CACHE_PATH=$TEST_TMP/fetched "$dump" -b "$id" "$TEST_TMP/app" | cut -f1-5)"
strip -o app whole_app

# serve PORT: gives out what lies in served/; elfutils' server, or the same in small
serve() {
    if command -v debuginfod >/dev/null; then
        exec debuginfod -p "$1" -d "$TEST_TMP/served.db" -F served
    fi
    exec python3 -m http.server --bind 127.0.0.1 --directory served "$1"
}
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
if ! python3 -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>/dev/null; then
    ok "skipped: libdebuginfod is not here (package libdebuginfod1)"
    exit 0
fi
"$fisql" cc gcc -O2 -g -o hooked shop.c
own_id=$id && give hooked
port=$(free_port) silent_port=$(free_port)
serve "$port" >server.log 2>&1 &
python3 -c 'import socket, sys, time; s = socket.socket(); s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen(); time.sleep(600)' "$silent_port" &
trap 'kill $(jobs -p) 2>/dev/null' EXIT
for _ in $(seq 100); do
    python3 -c 'import sys, urllib.request as u; [u.urlopen(a).read() for a in sys.argv[1:]]' \
        "http://127.0.0.1:$port/buildid/$own_id/debuginfo" "http://127.0.0.1:$port/buildid/$id/debuginfo" 2>/dev/null && break
    sleep 0.1
done
export DEBUGINFOD_URLS=http://127.0.0.1:$port
run "$dump" app
same "unasked, no server is asked" "0 0" "$(grep -c shop.c <<<"$out") $(find "$HOME" -name debuginfo | wc -l)"
run "$dump" -d app
same "a server is asked for the debug information" "$list" "$(cut -f1-5 <<<"$out")"
same "which is said" "asking for app" "$err"
run env -u DEBUGINFOD_URLS "$dump" -d app
same "then it lies in the cache" "$list" "$(cut -f1-5 <<<"$out")"
same "and nobody is asked" "" "$err"
run env DEBUGINFOD_URLS=" " DEBUGINFOD_CACHE_PATH="$TEST_TMP/none" "$dump" -d app
same "an empty list names no server" "0 0 " "$status $(grep -c shop.c <<<"$out") $err"
run "$dump" -d stripped
same "what no server has stays without" "0 main total" "$status $(cut -f5 <<<"$out" | grep -E 'main|total|price' | sort | xargs)"

# A load says what it waits for, and waits for no server without end.
"$fisql" record -q -o run.bin ./hooked >/dev/null 2>&1
rm -rf "$HOME/.cache"
start=$(date +%s)
run env DEBUGINFOD_URLS="http://127.0.0.1:$silent_port" DEBUGINFOD_TIMEOUT=2 "$fisql" load run.bin
has "load says whom it asks" "fisql: asking debuginfod for symbols of $TEST_TMP/hooked" "$err"
same "a server that does not answer is left after its time" "0 1" "$status $(($(date +%s) - start < 60))"
same "and asked once" 1 "$(grep -c 'asking debuginfod' <<<"$err")"
same "names are missing" 0 "$(sql run.db "SELECT count(*) FROM functions WHERE name = 'price' OR file_id IS NOT NULL")"
rm -rf "$HOME/.cache"
run "$fisql" load run.bin
same "names and lines of a stripped program come from the server" "main shop.c price shop.c total shop.c" \
    "$(sql run.db "SELECT f.name || ' ' || s.name FROM functions f JOIN files s ON s.id = f.file_id WHERE instrumented ORDER BY 1" | xargs)"
same "inlined copies of functions with hooks are calls in the database" 0 "$(sql run.db 'SELECT max(inlined_copies) FROM functions')"
rm -rf "$HOME/.cache"
run "$fisql" load -q run.bin
same "--quiet: nothing is said" "" "$err"

# Many programs of which one says the same are one line; --verbose names them.
for number in 1 2 3 4; do
    gcc -O2 -s -DNUMBER=$number -o "plain$number" shop.c
done
unset DEBUGINFOD_URLS
"$fisql" record -q -o many.bin sh -c './plain1; ./plain2; ./plain3; ./plain4' >/dev/null
run "$fisql" load -o many.db many.bin
said="$(grep -c "no symbols" <<<"$err")"
same "many programs without symbols are one line" "1 1" "$said $(grep -cE ' and [3-9] more \(--verbose names them\): no symbols: ' <<<"$err")"
run "$fisql" load -o many.db --verbose many.bin
same "--verbose names them" "plain1 plain2 plain3 plain4" "$(grep -o 'plain[1-4]: no symbols' <<<"$err" | cut -d: -f1 | sort | xargs)"
