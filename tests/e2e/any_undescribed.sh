#!/bin/bash
# Values of functions that no debug information describes: registers, asked for by their names, and exported functions by
# the declarations in the program that calls them. Against what the program says.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped - programs as they are: this is not x86-64"
    exit 0
fi
cat >tells.c <<'E2'
#include <stdbool.h>
#include <stdio.h>
__attribute__((noinline)) long mix(long a, const char *name, double x, bool flag, unsigned n, float y, const void *at)
{
    printf("mix((long)rdi=%ld, (char*)rsi=\"%s\", xmm0=%.1f, (bool)rdx=%s, (unsigned)rcx=%u, (float)xmm1=%.1f, r8=%p) = %ld\n", a,
           name, x, flag ? "true" : "false", n, y, at, a * 2);
    return a * 2;
}
__attribute__((noinline)) int chosen(int number)
{
    printf("chosen((int)rdi=%d) = %d\n", number, -number);
    return -number;
}
int main(void)
{
    char name[40];
    long sum = 0;
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "name %d", i);
        sum += mix(i - 25L, name, i * 1.5, i & 1, 4000000000u + i, i / 2.f, (char *)0x7fff00000000 + i) + chosen(i - 3);
    }
    return sum == 12345;
}
E2
compilers="gcc"
command -v clang >/dev/null && compilers="gcc clang"
mix='mix: (long)rdi, (char*)rsi, xmm0, (bool)rdx, (unsigned)rcx, (float)xmm1, r8, (long)rax'
chosen='chosen: (int)rdi, (int)rax'
for compiler in $compilers; do
    for level in -O0 -O2; do
        what="$compiler $level"
        $compiler $level -w -o tells tells.c || { not_ok "$what: it builds"; continue; }
        ./tells | sort >said
        run "$fisql" record -o x.bin --value "$mix" --value "$chosen" ./tells
        same "$what: the program does what it does" "0 $(cat said)" "$status $(sort out)"
        "$fisql" load -q -o x.db x.bin
        sql x.db "SELECT text FROM call_text WHERE text GLOB 'mix(*' OR text GLOB 'chosen(*'" | sort >found
        same "$what: each register is what the program says" "" "$(diff said found | head -n 6)"
        same "$what: none is lost" 0 "$(sql x.db 'SELECT count(*) FROM losses')"
    done
done

# ---- results left out; a part of the functions; programs that it runs
run "$fisql" record -o x.bin --no-results --value "$chosen" ./tells
"$fisql" load -q -o x.db x.bin
same "without results: arguments alone" "chosen((int)rdi=-3) = ?" "$(sql x.db "SELECT text FROM call_text WHERE text GLOB 'chosen(*' LIMIT 1")"
same "only what is asked for has values" 0 "$(sql x.db "SELECT count(*) FROM call_text WHERE text GLOB 'mix(?*)*'")"
run "$fisql" record -o x.bin --value "$chosen" sh -c './tells; :'
"$fisql" load -q -o x.db x.bin
same "in a program that a shell runs, too" 50 "$(sql x.db "SELECT count(*) FROM call_text WHERE text GLOB 'chosen((int)rdi=*) = *'")"

# ---- a stripped program's functions are named by their places
objcopy --strip-all tells bare
place=$(nm tells | sed -n 's/^0*\([0-9a-f]*\) [tT] chosen$/bare+0x\1/p')
run "$fisql" record -o x.bin --value "$place: (int)rdi" ./bare
"$fisql" load -q -o x.db x.bin
same "a stripped program: by the function's place" 50 "$(sql x.db "SELECT count(*) FROM call_text WHERE text GLOB '$place((int)rdi=*)'")"

# ---- what is wrong
run "$fisql" record -o x.bin --value 'chosen: number' ./tells
same "a parameter without debug information: status 2" 2 "$status"
has "it says which registers there are" "no debug information describes this function, so only registers can be recorded: rdi, rsi" "$err"
run "$fisql" record -o x.bin --value 'chosen: xmm9' ./tells
same "a register without arguments: status 2" 2 "$status"
gcc -g -O2 -w -o described tells.c
run "$fisql" record -o x.bin --value 'chosen: rdi' ./described
same "where debug information describes it: status 2" 2 "$status"
has "it says that this is no parameter" "there is no parameter \`rdi\`; there is number" "$err"
"$fisql" cc gcc -O2 -w -g0 -o hooked tells.c
run "$fisql" record -o x.bin --value 'chosen: rdi' ./hooked
same "of hooks no register is known: status 2" 2 "$status"

# ---- a library without debug information, by what the program declares
cat >lib.c <<'E2'
#include <stdarg.h>
#include <stdio.h>
struct pair { int a; double b; };
struct wide { long a, b, c; };
double scaled(const char *name, double by, float and, int count)
{
    printf("scaled(\"%s\", %.1f, %.1f, %d) = %.1f\n", name, by, and, count, by * count);
    return by * count;
}
long paired(struct pair p, short n, struct wide w, unsigned char last)
{
    printf("paired({a = %d, b = %g}, %d, {a = %ld, b = %ld, c = %ld}, %u) = %ld\n", p.a, p.b, n, w.a, w.b, w.c, last, n * w.c);
    return n * w.c;
}
int many(int a, int b, int c, int d, int e, int f, int g, const char *h, ...)
{
    printf("many(%d, %d, %d, %d, %d, %d, %d, \"%s\") = %d\n", a, b, c, d, e, f, g, h, a + g);
    return a + g;
}
void quiet(const char *text) { printf("quiet(\"%s\")\n", text); }
static __attribute__((noinline)) int inner(int a) { return a + 1; }
int unseen(int a) { return inner(a); }
E2
cat >uses.c <<'E2'
#ifdef __cplusplus
extern "C" {
#endif
struct pair { int a; double b; };
struct wide { long a, b, c; };
double scaled(const char *, double, float, int);
long paired(struct pair, short, struct wide, unsigned char);
int many(int, int, int, int, int, int, int, const char *, ...);
void quiet(const char *text);
#ifdef __cplusplus
}
#endif
int main(void)
{
    for (int i = 0; i < 20; i++) {
        struct pair p = {i, i * .5};
        struct wide w = {i, -i, 1L << i};
        if (scaled(i & 1 ? "odd" : "even", i, i / 2.f, i * 3) + paired(p, (short)-i, w, (unsigned char)(200 + i)) > 1e9)
            return 1;
        if (many(i, 2, 3, 4, 5, 6, -7, "seven", 1.5) > 100)
            return 2;
        quiet("a\tb");
    }
    return 0;
}
E2
gcc -O2 -w -g0 -shared -fPIC -o libown.so lib.c
declared() { # WHAT COMPILER...
    local what=$1
    shift
    "$@" uses.c -x none -g -w -o uses -L. -lown -Wl,-rpath,"$PWD" || { not_ok "$what: it builds"; return; }
    ./uses | sed 's/\t/\\t/g' | sort >said
    run "$fisql" record -o x.bin --values ./uses
    same "$what: the program does what it does" "0" "$status"
    "$fisql" load -q -o x.db x.bin
    sql x.db "SELECT text FROM call_text WHERE text GLOB '*(*' AND text NOT GLOB 'main(*'" | sort >found
    same "$what: arguments and results are what the library says" "" "$(diff said found | head -n 6)"
    same "$what: the parameters have types" "const char *|double|float|int" \
        "$(sql x.db "SELECT group_concat(type, '|') FROM (SELECT type FROM parameters JOIN functions f ON f.id = function_id
           WHERE f.name = 'scaled' AND position > 0 ORDER BY position)")"
}
for compiler in $compilers; do
    cxx=g++
    [ $compiler = clang ] && cxx=clang++
    [ $compiler = clang ] || declared "$compiler -O0" $compiler -O0 # clang declares only with optimisation
    declared "$compiler -O2" $compiler -O2
    declared "$cxx -O2" $cxx -O2 -x c++
done

# A program that it runs exports a function of the same name, of another kind: that is not the one it declares.
cat >other.c <<'E2'
#include <stdio.h>
__attribute__((noinline)) void quiet(long a, double b) { printf("%ld %g\n", a, b); }
int main(void) { quiet(1, 2.5); return 0; }
E2
gcc -O1 -w -g0 -rdynamic -o other other.c
sed -e 's/return 0;/return system(".\/other");/' -e '1i #include <stdlib.h>' uses.c >runs.c
gcc -O2 -g -w -o runs runs.c -L. -lown -Wl,-rpath,"$PWD"
run "$fisql" record -o x.bin --values ./runs
"$fisql" load -q -o x.db x.bin 2>/dev/null
same "another program's function of that name has no values" "20 quiet(\"a\\tb\"), 1 quiet" \
    "$(sql x.db "SELECT group_concat(n || ' ' || text, ', ') FROM (SELECT count(*) AS n, text FROM call_text WHERE text GLOB 'quiet*' GROUP BY text ORDER BY n DESC)")"
