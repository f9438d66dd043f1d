#!/bin/bash
# Debian's own stripped programs as they are: every function is called as often as callgrind saw it called or jumped to, on
# the same unmodified file.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0
# Debian's valgrind begins in a shell that passes on no functions.
unset -f run_one
command -v valgrind >/dev/null || { not_ok "valgrind is there"; exit 0; }

# counted LEAST LIBRARIES COMMAND...: LEAST = functions to be compared; of LIBRARIES (paths) all functions, too
counted() {
    local least=$1 libraries=$2 library program options=() runs=""
    shift 2
    program=$(command -v "$1") || { echo "skipped - $1: not installed"; return; }
    for library in $libraries; do
        options+=(--libs "$(basename "$library")")
    done
    valgrind -q --tool=callgrind --dump-instr=yes --compress-pos=no --collect-jumps=yes --callgrind-out-file=callgrind.out "$@" \
        >plain.out 2>/dev/null </dev/null
    for run in 1 2 3; do
        rm -f "run$run.db"
        "$fisql" record -q -o x.bin "${options[@]}" "$@" >recorded.out 2>/dev/null </dev/null
        same "$1: the output is that under valgrind" "" "$(diff plain.out recorded.out | head -n 3)"
        "$fisql" load -q -o "run$run.db" x.bin
        runs="$runs run$run.db"
    done
    # shellcheck disable=SC2086 # a list of paths
    python3 "$here/tests/real/any_stripped.py" callgrind.out "$runs" "$program" $libraries >counts.txt 2>&1
    same "$1: counts equal callgrind's ($(tail -n 1 counts.txt))" "" "$(sed '$d' counts.txt | head -n 10)"
    at_least "$1: functions compared" "$least" "$(sed -n '$s/ .*//p' counts.txt)"
    at_least "$1: functions left out" "$(sed -n '$s/.*, \([0-9]*\) left out/\1/p' counts.txt)" 12
}
library_of() { # PROGRAM NAME: the path of a library that it needs
    ldd "$(command -v "$1")" 2>/dev/null | sed -n "s/.*$2[^ ]* => \([^ ]*\).*/\1/p" | head -n 1
}

head -c 60000 /bin/bash >text
counted 20 "$(library_of bzip2 libbz2)" bzip2 -c text
cat >script.lua <<'L'
local words = {}
for i = 1, 500 do words[i] = string.format("%05d", (i * 7919) % 501) end
table.sort(words, function(a, b) return a > b end)
local co = coroutine.wrap(function() for i = 1, 50 do coroutine.yield(i) end end)
for _ = 1, 50 do co() end
for i = 1, 20 do pcall(error, { i }) end
print(#table.concat(words, " "):gsub("%d%d", "x"))
L
counted 300 "" lua5.4 script.lua
cat >script.sql <<'S'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 800)
INSERT INTO t SELECT i, 'row ' || (i * 7919 % 801), i * 1.5 FROM n;
CREATE INDEX tb ON t(b);
SELECT count(*), sum(c), max(b) FROM t WHERE b LIKE 'row 1%';
SELECT a, b FROM t ORDER BY c DESC LIMIT 3;
UPDATE t SET c = c + 1 WHERE a % 7 = 0;
DELETE FROM t WHERE a % 3 = 0;
SELECT count(*) FROM t JOIN t u ON u.a = t.a + 1;
S
counted 700 "$(library_of sqlite3 libsqlite3)" sqlite3 :memory: ".read script.sql"
cat >script.sh <<'B'
f() { [ "$1" -le 1 ] && echo 1 || echo $(( $1 * ($1 - 1) )); }
for i in {1..60}; do x=${x:-}$((i * i)); y=${x//1/z}; f "$i" >/dev/null; done
echo "${#y}"; declare -A map=([a]=1 [b]=2); echo "${!map[@]}"
case $x in *1*) trap 'echo end' EXIT ;; esac
printf '%s-%04d\n' "${y:0:5}" 42
B
counted 300 "" bash script.sh
cat >script.pl <<'P'
my %h; for my $i (1 .. 800) { $h{"k$i"} = $i * 2; }
my $s = 0; for my $k (sort keys %h) { $s += $h{$k} if $k =~ /k\d*7/; }
printf "%d %s\n", $s, join ",", map { $_ ** 2 } 1 .. 5;
eval { die "x" }; print "caught $@\n" if $@;
local $_ = "abc" x 20; s/b(c)/$1-/g; print length, "\n";
P
counted 450 "" perl script.pl
cat >source.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct s { int a; double b; struct s *next; };
static int add(struct s *it) { int n = 0; for (; it; it = it->next) n += it->a > 3 ? it->a * (int)it->b : -it->a; return n; }
int main(int argc, char **argv) { struct s list[10] = {0}; for (int i = 0; i < 9; i++) list[i] = (struct s){i, i * 1.5, &list[i + 1]};
    switch (argc) { case 1: printf("%d\n", add(list)); break; default: abort(); } return 0; }
C
counted 1000 "" "$(gcc -print-prog-name=cc1)" -quiet -O2 source.c -o /dev/stdout
