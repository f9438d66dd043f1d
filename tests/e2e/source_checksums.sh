#!/bin/bash
# files.md5: the checksum of each source file as clang wrote it, against md5sum; and what fisql serve says of a file by it.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config
command -v clang >/dev/null || { echo "skipped - clang is not installed"; exit 0; }

mkdir -p sub/deeper include
cat >include/head.h <<'C'
static inline __attribute__((noinline)) int in_head(int n) { return n + 1; }
C
cat >sub/deeper/two.c <<'C'
#include "../../include/head.h"
__attribute__((noinline)) int in_two(int n) { return in_head(n) * 2; }
C
cat >one.c <<'C'
#include "include/head.h"
int in_two(int n);
__attribute__((noinline)) int in_one(int n) { return in_two(n) + in_head(n); }
C
cat >main.c <<'C'
int in_one(int n);
int main(void) { return in_one(3) == 0; }
C

# each PROGRAM: the files of its run with their checksums, and what md5sum says of them
each() {
    "$fisql" record -q "$@" >/dev/null 2>&1
    "$fisql" load -q run.bin
    sql run.db "SELECT path || ' ' || coalesce(md5, '?') FROM files ORDER BY path" >said
    cut -d' ' -f1 said | while read -r file; do echo "$file $(md5sum <"$file" | cut -d' ' -f1)"; done >is
}
for how in "-gdwarf-5" "-gdwarf-5 -O2" "-gdwarf-5 -gsplit-dwarf" "-gdwarf-5 -fdebug-compilation-dir=$PWD"; do
    # shellcheck disable=SC2086 # words
    "$fisql" cc clang -g $how -o program main.c one.c sub/deeper/two.c || { not_ok "clang $how: it builds"; continue; }
    each ./program
    same "clang $how: each file has its checksum" "$(cat is)" "$(cat said)"
    at_least "clang $how: of each folder" 4 "$(wc -l <said)"
done
"$fisql" cc clang -gdwarf-4 -o program main.c one.c sub/deeper/two.c
each ./program
same "DWARF 4 has none" 0 "$(grep -vc ' ?$' said)"
"$fisql" cc gcc -g -o program main.c one.c sub/deeper/two.c
each ./program
same "gcc writes none" 0 "$(grep -vc ' ?$' said)"
"$fisql" cc clang -gdwarf-5 -gz -o program main.c one.c sub/deeper/two.c
each ./program
same "packed debug information is left packed" 0 "$(grep -vc ' ?$' said)"
if [ "$(uname -m)" = x86_64 ]; then
    clang -g -O1 -o plain main.c one.c sub/deeper/two.c
    each ./plain
    same "a program as it is" "$(cat is)" "$(cat said)"
fi

# a library that was made of an older include/head.h
"$fisql" cc clang -g -fPIC -shared -o libtwo.so sub/deeper/two.c
echo '/* newer */' >>include/head.h
"$fisql" cc clang -g -o program main.c one.c ./libtwo.so
each ./program
same "two modules made of different files: not known" "$PWD/include/head.h ?" "$(grep head.h said)"
same "and of the others it is" "$(grep -v head.h is)" "$(grep -v head.h said)"

# ---- what fisql serve says
"$fisql" cc clang -g -o program main.c one.c sub/deeper/two.c
"$fisql" record -q ./program && "$fisql" load -q run.bin
file=$(sql run.db "SELECT id FROM files WHERE name = 'one.c'")
"$fisql" serve run.db >address 2>messages &
server=$!
for _ in $(seq 200); do
    [ -s address ] && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
if [ ! -s address ]; then
    echo "skipped - the state of files in fisql serve: $(cat messages)"
    exit 0
fi
address=$(head -n 1 address)
state() { python3 -c "
import json, sys, urllib.request
ask = urllib.request.Request(sys.argv[1], headers={'Authorization': 'Bearer ' + sys.argv[2]})
print(json.load(urllib.request.urlopen(ask, timeout=60))['state'])" "${address%%\?*}api/source?file=$file" "${address##*token=}"; }
same "the file that was compiled" same "$(state)"
touch -d '+1 hour' one.c
same "whose time is another one" same "$(state)"
cp one.c kept.c
echo '/* more */' >>one.c
touch -d '-1 day' one.c
same "another file, as old as one likes" changed "$(state)"
cp kept.c one.c
same "and the old one again" same "$(state)"
rm one.c
same "none" missing "$(state)"
kill -INT "$server"
wait "$server"
