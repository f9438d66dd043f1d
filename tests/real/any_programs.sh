#!/bin/bash
# Debian's own programs as they are, stripped: recorded, they print what they print without, and end as they do; every
# call has its exit, and nearly all functions are patched.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2

# program WHAT LEAST COMMAND...: LEAST = calls of the program's own functions that are recorded at least
program() {
    local what=$1 least=$2 plain
    shift 2
    command -v "$1" >/dev/null || { echo "skipped - $what: not installed"; return; }
    "$@" >plain.out 2>plain.err </dev/null
    plain=$?
    [ -z "${OUTPUT-}" ] || mv "$OUTPUT" plain.file
    rm -f x.bin x.db
    local before=$EPOCHREALTIME
    "$fisql" record -o x.bin "$@" >recorded.out 2>recorded.err </dev/null
    same "$what: exit status" "$plain" $?
    echo "# $what: recorded in $(awk "BEGIN { print $EPOCHREALTIME - $before }") s: $(grep 'recorded as it is' recorded.err)"
    same "$what: output" "" "$(diff plain.out recorded.out | head -n 10)"
    same "$what: standard error" "" "$(diff plain.err <(grep -v '^fisql: ' recorded.err) | head -n 10)"
    if [ -n "${OUTPUT-}" ]; then
        cmp -s plain.file "$OUTPUT"
        report $? "$what: the file that it writes"
    fi
    "$fisql" load -q x.bin 2>load.err
    same "$what: loads without loss" "0 " "$? $(cat load.err)"
    local calls
    calls=$(sql x.db "SELECT sum(calls) FROM function_stats")
    at_least "$what: $calls calls of $(sql x.db 'SELECT count(*) FROM function_stats WHERE calls > 0') functions" "$least" "$calls"
    same "$what: every exit is its entry's" "" "$(sql x.db "SELECT kind || ' ' || count(*) FROM anomalies WHERE kind <> 'unwound' GROUP BY kind")"
    at_least "$what: functions patched, per thousand, but for two" 980 \
        "$(sed -nE 's/.*recorded as it is: ([0-9]+) of ([0-9]+) functions.*/\1 \2/p' recorded.err | awk '{ print int(1000 * ($1 + 2) / $2) }')" \
        "$(sql x.db "SELECT not_hooked || ' ' || count(*) FROM functions WHERE not_hooked IS NOT NULL GROUP BY not_hooked")"
}

cat >script.lua <<'L'
local words = {}
for i = 1, 3000 do words[i] = string.format("%05d", (i * 7919) % 3001) end
table.sort(words, function(a, b) return a > b end)
local co = coroutine.wrap(function() for i = 1, 50 do coroutine.yield(i) end end)
for _ = 1, 50 do co() end
for i = 1, 100 do pcall(error, { i }) end
print(#table.concat(words, " "):gsub("%d%d", "x"), load("return 1 + 2")())
os.exit(3)
L
program lua5.4 10000 lua5.4 script.lua
cat >jit.lua <<'L'
local ffi = require "ffi"
ffi.cdef [[int qsort(void *, size_t, size_t, int (*)(const int *, const int *));]]
local array, sum = ffi.new("int[?]", 500), 0
for i = 0, 499 do array[i] = (i * 7919) % 503 end
ffi.C.qsort(array, 500, 4, function(a, b) return a[0] - b[0] end)
for i = 1, 300000 do sum = (sum + bit.bxor(i, 77)) % 1000003 end
print(array[0], array[499], sum)
print((select(2, xpcall(function() local x; return x.y end, debug.traceback)):gsub("0x%x+", "")))
local function deep(n) if n == 0 then error("deep") end return 1 + deep(n - 1) end
print(pcall(deep, 150))
print(pcall(string.rep))
print(pcall(coroutine.wrap(function() coroutine.yield(error("x")) end)))
os.exit(5)
L
program luajit 1000 luajit jit.lua
program "luajit, interpreted" 1000 luajit -joff jit.lua
head -c 300000 /bin/bash >text
program bzip2 10 bzip2 -c text
program gzip 100 gzip -c text
program xz 10 xz -c text
cat >script.sh <<'B'
f() { [ "$1" -le 1 ] && echo 1 || echo $(( $1 * $(f $(( $1 - 1 ))) )); }
f 6
for i in {1..200}; do x=${x:-}$((i * i)); y=${x//1/z}; done
trap 'echo trapped' USR1; kill -USR1 $BASHPID
echo "${#y}"; (exit 5); echo $?
declare -A map=([a]=1 [b]=2); echo "${!map[@]}" | tr ' ' '\n' | sort
exit 7
B
program bash 10000 bash script.sh
cat >script.pl <<'P'
my %count; for my $i (1..3000) { $count{($i * 7919) % 101} .= chr(65 + $i % 26); }
print join(",", map { length $count{$_} } sort { $a <=> $b } keys %count), "\n";
sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) } print fib(14), "\n";
eval { die { code => 5 } }; print $@->{code}, "\n"; local $SIG{ALRM} = sub { print "alarm\n" }; kill ALRM => $$;
my $text = "a1b2" x 50; $text =~ s/(\d)/<$1>/g; print length $text, "\n"; exit 6;
P
PERL_HASH_SEED=0 program perl 10000 perl script.pl
cat >script.sql <<'Q'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO t SELECT i, 'text ' || (i * 7919 % 1009) FROM n; CREATE INDEX tb ON t(b);
SELECT count(DISTINCT b), sum(a) FROM t WHERE b > 'text 5'; SELECT missing;
Q
program sqlite3 10000 sqlite3 -init /dev/null :memory: ".read script.sql"
program git 1000 git -C "$here" log --oneline -n 50 --stat
program "git status" 1000 git -C "$here" status --porcelain=v1 --untracked-files=no
program gdb 10000 gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'info functions ^main$' -ex 'print 1+2' -ex 'python print(gdb.parse_and_eval("5*7"))' -ex 'disassemble main' "$FISQL_BUILD/fisql"
cat >script.py <<'P'
import collections, functools, json, re, sys, threading
print(len(json.dumps({str(i): list(range(i % 7)) for i in range(500)})), sorted(collections.Counter("hello world").items())[:3])
@functools.lru_cache(None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(50), re.sub(r"(\d)", r"<\1>", "a1b2"))
def work(out, n): out.append(sum(i * i for i in range(n)))
out = []; threads = [threading.Thread(target=work, args=(out, i * 100)) for i in range(5)]
[t.start() for t in threads]; [t.join() for t in threads]; print(sorted(out))
try: 1 / 0
except ZeroDivisionError as error: print(error)
sys.exit(9)
P
PYTHONHASHSEED=0 program python3 10000 /usr/bin/python3 -I script.py
mkdir -p nginx/logs
printf 'error_log %s/nginx/error.log; pid %s/nginx/pid; events {} http { access_log off; server { listen 127.0.0.1:18456; location / { return 200 ok; } } }' "$PWD" "$PWD" >nginx.conf
program nginx 1000 /usr/sbin/nginx -t -c "$PWD/nginx.conf" -p "$PWD/nginx"
cat >source.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct s { int a; double b; struct s *next; };
static int add(struct s *it) { int n = 0; for (; it; it = it->next) n += it->a > 3 ? it->a * (int)it->b : -it->a; return n; }
int main(int argc, char **argv) { struct s list[10] = {0}; for (int i = 0; i < 9; i++) list[i] = (struct s){i, i * 1.5, &list[i + 1]};
    switch (argc) { case 1: printf("%d\n", add(list)); break; case 2: qsort(list, 10, sizeof *list, (int (*)(const void *, const void *))add); default: abort(); } return 0; }
C
OUTPUT=source.s program cc1 200000 "$(gcc -print-prog-name=cc1)" -quiet -O2 source.c -o source.s
cp plain.file source.s
OUTPUT=source.o program as 1000 as -o source.o source.s
cp plain.file source.o
OUTPUT=linked program "gcc, with its children" 100000 gcc -O1 -o linked source.c
# Go's own programs have C code, and so the collector, but are not patched.
if command -v go >/dev/null; then
    printf 'package main\nimport "fmt"\nfunc main() { fmt.Println(1) }\n' >main.go
    mkdir -p gocache
    GOCACHE=$PWD/gocache go vet main.go >plain.out 2>&1
    same "go vet: the plain one" 0 $?
    rm -rf gocache/*
    GOCACHE=$PWD/gocache "$fisql" record -q -o x.bin go vet main.go >recorded.out 2>&1
    same "go vet: status, output" "0 " "$? $(grep -v '^fisql: ' recorded.out)"
fi
program ripgrep 1000 rg --no-config -j2 --sort path -c 'static' "$here/collector/patch"
program clang 100000 clang -O2 -S -o - source.c
printf 'all: a b\na b:\n\t@echo $@ $(shell echo x)\n' >Makefile
program make 1000 make
program objdump 4 objdump -d source.o
program jq 1000 jq -n '[range(1000)|{a:.,b:(.*2|tostring)}]|map(select(.a%3==0))|length'
program curl 10 curl -s --max-time 2 file:///etc/hostname
program tar 100 tar -C "$here" -cf - --sort=name --mtime=@0 collector/patch
program awk 100 mawk 'BEGIN { for (i = 0; i < 5000; i++) s = s i % 7; print length(s) }'
program vim 100 vim -u NONE -es -c 'put =range(1,50)' -c '%print' -c 'q!'
program openssl 100 openssl dgst -sha256 text

# V8, which chromium has linked in, reads its stacks by tables of its own: it is left alone.
if [ -x /usr/lib/chromium/chromium ]; then
    page=(/usr/lib/chromium/chromium --headless --no-sandbox --disable-gpu --dump-dom "data:text/html,<b>hi</b><script>document.write(6*7)</script>")
    timeout -k 5 120 "${page[@]}" >plain.out 2>/dev/null </dev/null
    timeout -k 5 120 "$fisql" record -o x.bin "${page[@]}" >recorded.out 2>recorded.err </dev/null
    same "chromium: status, output" "0 $(cat plain.out)" "$? $(cat recorded.out)"
    has "chromium: why it is not recorded" "chromium: V8 reads its stacks by tables of its own" "$(cat recorded.err)"
else
    echo "skipped - chromium: not installed"
fi
