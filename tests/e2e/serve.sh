#!/bin/bash
# fisql serve: who is answered, what is answered against SQL and against fisql's other commands, many and slow
# clients, databases that are replaced or deleted, and how it ends. Its page is tried in serve_page.sh.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

page_built "fisql serve" || exit 0
command -v python3 >/dev/null || { not_ok "python3 is there: run tests/setup check"; exit 0; }
run "$fisql" serve nothing.db
if [[ $err == *"built without libmicrohttpd"* || $err == *"is not installed here"* ]]; then
    has "serve: says what to install" "install libmicrohttpd" "$err"
    echo "skipped - fisql serve: libmicrohttpd is missing"
    exit 0
fi
same "no database: status" 2 "$status"
has "no database: what to do" "make a database with" "$err"
: >empty.db
run "$fisql" serve empty.db
same "no database of ours: status" 2 "$status"
has "no database of ours: says so" "is not a fisql database" "$err"
for wrong in "--port 0" "--port x" "--idle 5" "--idle 0s" "--listen nowhere" "--listen unix:"; do
    # shellcheck disable=SC2086 # two words
    run "$fisql" serve $wrong empty.db
    same "serve $wrong: is refused" 2 "$status"
done

cp "$here/examples/wordstat.c" .
build gcc wordstat -D_GNU_SOURCE -O1 -g wordstat.c -lpthread || exit 0
for _ in $(seq 12); do # until a thread waits for a lock while a call is known that holds it
    "$fisql" record -q --locks ./wordstat >/dev/null 2>&1
    "$fisql" load -q run.bin 2>/dev/null
    [ "$(sqlite3 run.db "SELECT count(*) FROM lock_waits WHERE held_by_call_id IS NOT NULL AND held_by_thread_id != thread_id")" -gt 0 ] && break
done

server=
begin() { # ARGUMENT...: sets server, its process, and address
    : >address
    "$fisql" serve "$@" >address 2>messages &
    server=$!
    for _ in $(seq 200); do
        [ -s address ] && break
        sleep 0.1
    done
    address=$(head -n 1 address)
}
finish() { # SIGNAL: sets status
    kill -"$1" "$server"
    wait "$server"
    status=$?
}
client() { # WHAT ARGUMENT...
    local what=$1
    shift
    python3 "$here/tests/e2e/serve_client.py" "$what" "$address" "$PWD/run.db" "$@"
}
begin run.db
case $address in http://127.0.0.1:*/\?token=????????????????????????????????) ok "its address comes first" ;; *) not_ok "its address comes first" ;; esac
same "this machine alone can reach it" "" "$(ss -Hltn 2>/dev/null | awk -v port=":${address#http://127.0.0.1:}" '{ sub("/.*", "", port) } index($4, port) && $4 !~ /^127\.0\.0\.1:/')"
client safe
client queries "$fisql"
client sql "$server"
client timeline
client marks
client calls
client source
client code
client load "$server"
python3 "$here/tests/e2e/serve_fuzz.py" "$address" "${SERVE_FUZZ_SECONDS:-5}" "${SERVE_FUZZ_SEED:-$RANDOM}"
finish INT
same "Ctrl-C ends it: status" 0 "$status"

# --- a statement that runs does not hold up the end
begin run.db
curl -s -m 60 -H "Authorization: Bearer ${address#*token=}" -d '{"seconds": 600, "sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"}' \
    "${address%%/\?*}/api/sql" >/dev/null &
sleep 1
begun=$SECONDS
finish TERM
at_least "it ends beside a statement that runs" 1 $((SECONDS - begun < 20))

# --- a database that is replaced, and one that is deleted
ask() { curl -s -m 60 -H "Authorization: Bearer ${address#*token=}" "${address%%/\?*}/api/$1"; }
cp run.db first.db
cp run.db other.db
begin first.db other.db
same "two databases" '["first.db","other.db"]' "$(ask databases | jq -c '[.[].name]')"
same "the second by its number" "$(sqlite3 run.db 'SELECT count(*) FROM frames WHERE parent_id IS NULL')" "$(ask 'tree?db=1' | jq '.frames | length')"
cp run.db new.db
sqlite3 new.db "DELETE FROM frames WHERE parent_id IS NULL AND id > 1"
mv new.db first.db
same "a database that is replaced: the new one answers" 1 "$(ask 'tree?db=0' | jq '.frames | length')"
same "and has another version" 2 "$(ask databases | jq '.[0].version')"
rm other.db
has "a database that is deleted: says so" "is gone" "$(ask 'tree?db=1')"
same "and has no version" 0 "$(ask databases | jq '.[1].version')"
same "while the other goes on" 1 "$(ask 'tree?db=0' | jq '.frames | length')"
printf 'garbage, not a database' >first.new
mv first.new first.db
has "a file that is none in its place: says so" "cannot be opened" "$(ask 'tree?db=0')"
finish INT

# --- the browser
cat >browser <<'S'
#!/bin/sh
echo "$1" >opened
S
chmod +x browser
export BROWSER=$PWD/browser
begin --open run.db
for _ in $(seq 100); do [ -s opened ] && break; sleep 0.1; done
same "--open: the browser gets the address" "$address" "$(cat opened)"
finish INT
unset BROWSER

# --- a UNIX socket, idleness, and who else can reach it
begin --listen "unix:$PWD/socket" run.db
same "a UNIX socket is its owner's alone" 600 "$(stat -c %a socket)"
has "and answers" "./wordstat" "$(curl -s --unix-socket socket "http://localhost/api/databases?token=${address#*token=}")"
same "but for those who do not know the token" 401 "$(curl -s -o /dev/null -w '%{http_code}' --unix-socket socket http://localhost/api/databases)"
finish INT
same "the socket is gone with it" "" "$(ls socket 2>/dev/null)"
run timeout 60 "$fisql" serve --idle 1s run.db
same "idle: it ends: status" 0 "$status"
has "idle: says why" "nobody asked" "$err"
begin --listen 0.0.0.0 run.db
has "beyond this machine: says so" "other machines can reach it" "$(cat messages)"
finish INT
run "$fisql" serve --api
same "the list of answers is docs/api.md's" "" "$(comm -23 <(grep '^## ' <<<"$out" | sort) <(grep '^## ' "$here/docs/api.md" | sort))"
