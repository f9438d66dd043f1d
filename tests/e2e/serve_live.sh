#!/bin/bash
# fisql serve of a log whose program still runs, and fisql run --open.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

page_built "fisql serve" || exit 0
run "$fisql" serve nothing.db
if [[ $err == *"built without libmicrohttpd"* || $err == *"is not installed here"* ]]; then
    echo "skipped - fisql serve of a log: libmicrohttpd is missing"
    exit 0
fi
build gcc ticking -O1 -g "$programs/ticking.c" || exit 0

ask() { curl -s -m 60 -H "Authorization: Bearer ${address#*token=}" "${address%%/\?*}/api/$1"; }
ticks() { ask "functions?match=tick" | jq '[.functions[] | select(.name == "tick") | .calls] | add // 0'; }
live() { ask databases | jq '.[0].live'; }
wait_for() { # EXPECTED COMMAND...: asks until that is the answer; prints the last one
    local expected=$1 got=
    shift
    for _ in $(seq 300); do
        got=$("$@")
        [ "$got" = "$expected" ] && break
        sleep 0.2
    done
    echo "$got"
}
server=
begin() { # ARGUMENT...: sets server, its process, and address
    : >address
    "$fisql" serve "$@" >address 2>messages 5>&- & # else it would hold the program's input open
    server=$!
    for _ in $(seq 400); do
        [ -s address ] || kill -0 "$server" 2>/dev/null || break
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

# --- a run that goes on
mkfifo go
"$fisql" record -q -o ticking.bin ./ticking <go >output 2>&1 &
recorder=$!
exec 5>go
echo 200000 >&5
for _ in $(seq 100); do [ -s ticking.bin ] && break; sleep 0.1; done
begin ticking.bin
same "a log is served while its program runs" 1 "$(live)"
same "with what it has done so far" 200000 "$(wait_for 200000 ticks)"
version=$(ask databases | jq '.[0].version')
echo 100000 >&5
same "and with what it does then" 300000 "$(wait_for 300000 ticks)"
changed() { [ "$(ask databases | jq '.[0].version')" -gt "$version" ] && echo changed; }
same "which is another version" changed "$(wait_for changed changed)" # its pages reach the database's file after readers see them
same "a statement sees it, too" 300000 "$(curl -s -m 60 -H "Authorization: Bearer ${address#*token=}" \
    -d '{"sql": "SELECT calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = '"'tick'"'"}' "${address%%/\?*}/api/sql" | jq '.rows[0].calls')"
exec 5>&-
wait "$recorder"
same "its end is noticed" 0 "$(wait_for 0 live)"
same "with all that it did" 300000 "$(wait_for 300000 ticks)"
same "the program's own output" "300000 ticks" "$(cat output)"
finish INT
same "Ctrl-C ends it: status" 0 "$status"
begin ticking.bin
same "a log whose program has ended is loaded and served" "300000 0" "$(wait_for 300000 ticks) $(wait_for 0 live)"
finish TERM
same "its database is a plain one" ok "$(sqlite3 ticking.db 'PRAGMA quick_check')"

# --- a server that ends before its program takes its loader along
mkfifo again
"$fisql" record -q -o second.bin ./ticking <again >/dev/null 2>&1 &
recorder=$!
exec 5>again
echo 200000 >&5
for _ in $(seq 100); do [ -s second.bin ] && break; sleep 0.1; done
begin second.bin
loader=$(pgrep -P "$server" | head -n 1)
check_there() { if [ -n "$loader" ] && kill -0 "$loader" 2>/dev/null; then echo runs; else echo ended; fi; }
same "a loader runs beside it" runs "$(check_there)"
finish TERM
same "and ends with it" ended "$(wait_for ended check_there)"
exec 5>&-
wait "$recorder"

# --- logs that are none
head -c 100 ticking.bin >torn.bin
run timeout 60 "$fisql" serve --idle 1s torn.bin
same "a torn log that holds nothing: status" 2 "$status"
has "is said" "torn.bin" "$err"

# --- fisql run --open
cat >browser <<'S'
#!/bin/sh
echo "$1" >opened
S
chmod +x browser
export BROWSER=$PWD/browser
echo 10 >ten
"$fisql" run --open -q -o opened.bin ./ticking <ten >output 2>messages &
server=$!
for _ in $(seq 400); do [ -s opened ] && break; sleep 0.1; done
address=$(cat opened 2>/dev/null)
same "run --open: the run is in the browser" 10 "$(ticks)"
same "run --open: the output is the program's alone" "10 ticks" "$(cat output)"
has "run --open: the address is said" "$address" "$(cat messages)"
finish INT
same "run --open: it ends as the program did" 0 "$status"
run "$fisql" record --open ./ticking
same "record --open: is refused" 2 "$status"
has "record --open: says what to do" "fisql serve" "$err"
