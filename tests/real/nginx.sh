#!/bin/bash
# nginx from Debian's source package, recorded in each way while requests come on the loopback interface and its
# operator reads the configuration again (HUP), puts a new program in its place (USR2, WINCH, QUIT) and ends it (QUIT):
# every request is answered as by the server that is not recorded, every process is there, and its calls are as many
# as its own log of requests has lines.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2

root=$(echo "$sources"/nginx/nginx-*/)
[ -d "$root" ] || { not_ok "nginx's source is there: run tests/setup real"; exit 0; }
cp -r "$root" source
(cd source && ./configure --with-cc="$fisql cc gcc" --with-cc-opt="-O1 -g -w" --without-http_rewrite_module \
    --without-http_gzip_module && make -s -j2) >build.log 2>&1
report $? "nginx builds" "$(tail -n 5 build.log)"
[ -x source/objs/nginx ] || exit 0

# A master that a failed check left behind is ended by its own number.
mode=
leave() {
    [ -z "$mode" ] || for file in "$mode"/logs/nginx.pid*; do [ ! -s "$file" ] || kill -TERM "$(cat "$file")"; done
}
trap leave EXIT

# until_true WHAT COMMAND...: waits for it, at most half a minute
until_true() {
    local what=$1
    shift
    for _ in $(seq 300); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    not_ok "$mode: $what"
    return 1
}
# Each master and worker says in its log that it starts, and with which code it ended.
started() { grep -c 'start worker process [0-9]' "$mode/logs/error.log"; }
has_started() { [ "$(started)" -ge "$1" ]; }
is_gone() { ! [ -e "$1" ]; }
serves() { python3 -c "import socket; socket.create_connection(('127.0.0.1', $port), 5).close()"; }

# serve MODE COMMAND...: the server under load, in the folder MODE, started by COMMAND; what came of it goes to
# MODE/requests, and the exit status to MODE/status
serve() {
    mode=$1
    shift
    mkdir -p "$mode/logs" "$mode/html"
    printf a >"$mode/html/a"
    seq 1000 >"$mode/html/b"
    seq 100000 >"$mode/html/c"
    port=$((20000 + RANDOM % 20000))
    local user= # nobody's workers cannot read here
    [ "$(id -u)" -ne 0 ] || user="user root;"
    cat >"$mode/nginx.conf" <<CONF
$user
worker_processes 2;
error_log logs/error.log notice;
pid logs/nginx.pid;
events { worker_connections 256; }
http { access_log logs/access.log; server { listen 127.0.0.1:$port; root html; } }
CONF
    "$@" source/objs/nginx -p "$PWD/$mode/" -c nginx.conf -e logs/error.log >"$mode/out" 2>&1 &
    local started=$! old new
    until_true "it serves" serves || return 1
    local pid=$mode/logs/nginx.pid
    old=$(cat "$pid")
    python3 "$here/tests/real/load.py" "$port" "$mode/html" "$mode/stop" 4 2500 >"$mode/requests" 2>"$mode/wrong" &
    local load=$!
    sleep 1
    kill -HUP "$old"
    until_true "two more workers after HUP" has_started 4
    sleep 1
    kill -USR2 "$old"
    until_true "two more of the new program after USR2" has_started 6 || return 1
    until_true "the new program's number is there" test -s "$pid.oldbin" -a -s "$pid" || return 1
    new=$(cat "$pid")
    sleep 1
    kill -WINCH "$old"
    sleep 1
    kill -QUIT "$old"
    until_true "the old program ends after WINCH and QUIT" is_gone "$pid.oldbin"
    sleep 1
    touch "$mode/stop"
    wait $load
    kill -QUIT "$new"
    until_true "the new program ends after QUIT" is_gone "$pid"
    wait $started
    echo $? >"$mode/status"
}

# same_as_plain MODE: what its users and its operator saw
same_as_plain() {
    local requests right
    read -r requests right <"$1/requests"
    at_least "$1: $requests requests" 500 "$requests"
    same "$1: all are answered right" "$requests" "$right"
    [ "$requests" = "$right" ] || sed 's/^/    /' "$1/wrong"
    same "$1: a line of each in its own log" "$requests" "$(grep -c '"GET ' "$1/logs/access.log")"
    same "$1: it ends as the plain one" "$(cat plain/status)" "$(cat "$1/status")"
    same "$1: it prints what the plain one prints" "$(cat plain/out)" "$(cat "$1/out")"
    same "$1: six workers" 6 "$(grep -c 'start worker process [0-9]' "$1/logs/error.log")"
    same "$1: nothing goes wrong" "" "$(grep -E '\[(warn|error|crit|alert|emerg)\]|exited (on|with code [1-9])' "$1/logs/error.log" |
        grep -v 'html/none" failed (2: No such file' | head -n 5)"
}

# whole MODE: the log loads, and every process is there
whole() {
    local numbers
    "$fisql" load -q -o "$1.db" "$1.bin" 2>load.err
    same "$1: loads without loss" "0 " "$? $(cat load.err)"
    same "$1: integrity_check" ok "$(sql "$1.db" 'PRAGMA integrity_check')"
    same "$1: every exit is its entry's" 0 "$(sql "$1.db" "SELECT count(*) FROM anomalies WHERE kind <> 'unwound'")"
    numbers=$(sed -n 's/.*start worker process \([0-9]*\)$/\1/p' "$1/logs/error.log" | sort)
    same "$1: every worker is there" "$numbers" "$(sql "$1.db" "SELECT DISTINCT pid FROM processes
        WHERE pid IN ($(echo "$numbers" | paste -sd ,))" | sort)"
}

serve plain || exit 0
same_as_plain plain
record=("$fisql" record -q -o)
for mode in $recording_ways; do
    set_way "$mode"
    serve "$mode" "${record[@]}" "$mode.bin" "${way_options[@]}" || continue
    same_as_plain "$mode"
    whole "$mode"
    if [ "$mode" != ring ]; then # which keeps the last calls alone
        same "$mode: nothing is lost" 0 "$(sql "$mode.db" 'SELECT count(*) FROM losses')"
        read -r requests right <"$mode/requests"
        for function in ngx_http_process_request ngx_http_log_handler; do
            same "$mode: as many calls of $function" "$requests" "$(calls_of "$mode.db" $function)"
        done
        same "$mode: the workers ran ngx_worker_process_cycle" 6 "$(calls_of "$mode.db" ngx_worker_process_cycle)"
    fi
    rm -f "$mode.bin" "$mode.db"
done
