#!/bin/bash
# Arguments, results and errno of library calls (record --library-calls --values): by the prototypes of the C library and others,
# flags and addresses of sockets by name. Without --values: the results of system calls, and the query that sums them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export FISQL_TEST_WORD=a-word

# shown DB FUNCTION: its calls as `fisql trace` shows them
shown() {
    "$fisql" trace "$1" --function "$2" 2>trace.err | grep -o " $2(.*" | sed 's/^ //; s/  [^ ]*:[0-9]*$//; s/  [^ ]*+0x[0-9a-f]*$//; s/  lib[^ ]*$//; s/0x[0-9a-f]*/PTR/g'
}
# all_shown WHAT DB
all_shown() {
    same "$1: open" 'open(path="a.txt", flags=O_RDONLY|O_CLOEXEC) = -1 (ENOENT)
open(path="data.txt", flags=O_RDWR|O_CREAT|O_TRUNC) = 3
open(path="/etc/passwd/x", flags=O_WRONLY|O_APPEND) = -1 (ENOTDIR)' "$(shown "$2" open | sed 's/= [3-9]$/= 3/; s/= [1-9][0-9]$/= 3/')"
    same "$1: openat" 'openat(dirfd=AT_FDCWD, path="no/such/file", flags=O_RDONLY) = -1 (ENOENT)' "$(shown "$2" openat)"
    same "$1: lseek" 'offset=0, whence=SEEK_SET) = 0' "$(shown "$2" lseek | sed 's/.*offset/offset/')"
    same "$1: the first write" 'buf=PTR, n=10) = 10' "$(shown "$2" write | head -1 | sed 's/.*buf/buf/')"
    same "$1: pread" 'buf=PTR, nbytes=10, offset=5) = 10' "$(shown "$2" pread | sed 's/.*buf/buf/')"
    same "$1: socket" 'socket(domain=AF_INET, type=SOCK_STREAM|SOCK_CLOEXEC, protocol=0)
socket(domain=AF_UNIX, type=SOCK_DGRAM, protocol=0)' "$(shown "$2" socket | sed 's/ = [0-9]*$//')"
    same "$1: connect" 'addr={AF_INET, 127.0.0.1:1}, len=16) = -1 (ECONNREFUSED)
addr={AF_UNIX, "/nonexistent/socket"}, len=110) = -1 (ENOENT)
addr={AF_UNIX, @fisql-test}, len=13) = -1 (ECONNREFUSED)' "$(shown "$2" connect | sed 's/.*addr/addr/')"
    same "$1: bind" 'bind(fd=-1, addr={AF_INET6, [::1]:443}, len=28) = -1 (EBADF)' "$(shown "$2" bind)"
    same "$1: sendto" 'sendto(fd=-1, buf=PTR, n=1, flags=MSG_DONTWAIT|MSG_NOSIGNAL, addr=NULL, addr_len=0) = -1 (EBADF)' "$(shown "$2" sendto)"
    same "$1: mmap" 'mmap(addr=NULL, len=4096, prot=PROT_READ|PROT_WRITE, flags=MAP_PRIVATE|MAP_ANONYMOUS, fd=-1, offset=0) = PTR' "$(shown "$2" mmap)"
    same "$1: mprotect" 'mprotect(addr=PTR, len=4096, prot=PROT_READ) = 0' "$(shown "$2" mprotect)"
    same "$1: access" 'mode=R_OK|X_OK) = 0' "$(shown "$2" access | sed 's/.*mode/mode/')"
    same "$1: chmod" 'chmod(path="/nonexistent", mode=0644) = -1 (ENOENT)' "$(shown "$2" chmod)"
    same "$1: getenv" 'getenv(name="FISQL_TEST_WORD") = "a-word"' "$(shown "$2" getenv)"
    same "$1: strchr, an IFUNC" 'strchr(s="a-word", c=119) = "word"' "$(shown "$2" strchr)"
    same "$1: zlib's" 'compress2(dest=PTR, destLen=PTR, source=PTR, sourceLen=16, level=9) = 0' "$(shown "$2" compress2)"
    same "$1: by an address from dlsym()" 'sqrt(x=9.0) = 3.0' "$(shown "$2" sqrt)"
}

for how in "gcc -O1 -w" "gcc -O2 -w -fno-plt" "clang -O2 -w" "hooked"; do
    if [ "$how" = hooked ]; then
        build gcc values -O1 -g -w -fno-builtin "$programs/library_values.c" -lz -ldl
    else
        # shellcheck disable=SC2086 # words
        $how -fno-builtin -o values "$programs/library_values.c" -lz -ldl || { not_ok "$how: builds"; continue; }
    fi
    ./values >plain.out
    "$fisql" record -q -o v.bin --library-calls --values ./values >recorded.out 2>record.err
    same "$how: its output is the plain run's" "$(cat plain.out)" "$(cat recorded.out)"
    "$fisql" load -q v.bin -o v.db 2>load.err
    all_shown "$how" v.db

    # ---- without --values: not by compiled hooks, which would take longer
    if [ "$how" = hooked ]; then
        "$fisql" record -q -o s.bin --library-calls ./values >recorded.out 2>record.err
        "$fisql" load -q s.bin -o s.db
        same "$how: system calls: no results" "close 3  " "$("$fisql" query system-calls s.db --format csv | tr -d '\r' | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["function"] == "close": print(row["function"], row["calls"], row["errors"], row["bytes"])')"
        continue
    fi
    "$fisql" record -q -o s.bin --library-calls ./values >recorded.out 2>record.err
    same "$how: system calls: its output, and nothing is said" "$(cat plain.out)" "$(cat recorded.out record.err)"
    "$fisql" load -q s.bin -o s.db 2>load.err
    same "$how: system calls: loads without loss" "" "$(cat load.err)"
    "$fisql" query system-calls s.db --format csv >calls.csv
    same "$how: system calls: bytes and errors as the program counts them" "$(grep -E '^(bytes|errors)' plain.out | sort)" \
        "$(sqlite3 :memory: ".mode csv" ".import calls.csv c" ".mode list" ".separator ' '" "SELECT 'bytes', function, bytes FROM c
            WHERE function IN ('read', 'write', 'pread') UNION SELECT 'errors', function, errors FROM c WHERE function = 'open' ORDER BY 1, 2")"
    same "$how: system calls: how often, which, why they failed" "access 1 faccessat 0 -
bind 1 bind 1 EBADF 1
connect 3 connect 3 ECONNREFUSED 2, ENOENT 1
open 3 openat 2 ENOENT 1, ENOTDIR 1
write 101 write 0 -" "$(sqlite3 :memory: ".mode csv" ".import calls.csv c" ".mode list" ".separator ' '" "SELECT function, calls,
            replace(system_call, 'faccessat2', 'faccessat'), errors, iif(errnos = '', '-', errnos) FROM c
            WHERE function IN ('open', 'bind', 'connect', 'write', 'access') ORDER BY 1" | sed 's/^access 1 access/access 1 faccessat/')"
    same "$how: system calls: no arguments, and results of no others" "open() = -1 (ENOENT)" "$(shown s.db open | head -1)$(shown s.db strchr | grep " = ")"
    rm -f v.bin v.db s.bin s.db
done

# ---- by name
gcc -O1 -w -fno-builtin -o values "$programs/library_values.c" -lz -ldl
"$fisql" record -q -o n.bin --library-calls --values='sock*' --value 'write: n * 2' --value 'open: path[0]' ./values >recorded.out 2>record.err
same "by name: nothing is said of what was not asked for" "" "$(cat record.err)"
"$fisql" load -q n.bin -o n.db
same "by name: a pattern" "socket(domain=AF_INET, type=SOCK_STREAM|SOCK_CLOEXEC, protocol=0)" "$(shown n.db socket | head -1 | sed 's/ = [0-9]*$//')"
same "by name: an expression" "20" "$(sql n.db "SELECT text FROM call_arguments WHERE function = 'write' AND parameter = 'n * 2' ORDER BY call_id LIMIT 1")"
same "by name: an expression on a text" "97 'a'" "$(sql n.db "SELECT text FROM call_arguments WHERE function = 'open' AND parameter = 'path[0]' ORDER BY call_id LIMIT 1")"
same "by name: others have none" "" "$(shown n.db getenv)"
"$fisql" record -q -o w.bin --library-calls --value 'open: nothing' ./values >recorded.out 2>record.err
same "a parameter that there is not: said with those that there are" 'fisql: --value: there is no parameter `nothing`; there is path, flags' "$(head -1 record.err)"

# ---- calls with results that the program's own names hide: a library of its own is not the C library
cat >own.c <<'C'
double open(double a) { return a * 2; }
C
cat >uses.c <<'C'
double open(double);
int main(void) { return open(1.5) != 3.0; }
C
gcc -O1 -w -shared -fPIC -o libown.so own.c && gcc -O1 -w -o uses uses.c -L. -lown -Wl,-rpath,"$PWD"
"$fisql" record -q -o u.bin --library-calls --no-patch --values ./uses 2>record.err
same "a library's own open(): the program runs" "0" "$?"
"$fisql" load -q u.bin -o u.db 2>load.err
same "a library's own open(): no arguments of the C library's" "" "$(sql u.db "SELECT p.name FROM parameters p JOIN functions f ON f.id = p.function_id WHERE f.name = 'open'")"
