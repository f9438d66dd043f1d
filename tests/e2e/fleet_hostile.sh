#!/bin/bash
# fisql push, fleet and pull where the server or the file is somebody else's and means harm: nothing of it runs, and
# whatever it does the command ends, says which bound was met, and leaves nothing half-made.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

# --- servers (tests/fleet/impostor.py). All kinds are asked at once.
python3 "$here/tests/fleet/impostor.py" "$TEST_TMP" 2>impostor.err &
impostor=$!
trap 'kill $impostor 2>/dev/null' EXIT
for _ in $(seq 300); do
    [ -s port ] && break
    sleep 0.1
done
port=$(cat port)
at_least "the server listens" 1 "$port" "$(cat impostor.err)"
small_database small.db
memory=4000000 # KiB
[ "$(ldd "$fisql" | grep -c libasan)" = 0 ] || memory=unlimited
# ask KIND: its answer to a command that a user would give
ask() {
    local url=http://127.0.0.1:$port/$1
    ulimit -v $memory
    export FISQL_SERVER_SECONDS=3
    case $1 in
        *_part* | *_database) timeout 200 "$fisql" pull "$url" abcdef -o "pulled.$1" ;;
        *) timeout 200 "$fisql" fleet runs --url "$url" ;;
    esac >"$1.out" 2>"$1.err"
    echo $? >"$1.status"
}
kinds=$(python3 "$here/tests/fleet/impostor.py" --kinds)
asking=()
for kind in $kinds; do
    ask "$kind" &
    asking+=($!)
done
wait "${asking[@]}"
for kind in $kinds; do
    case $kind in
        *_names) words="its answer has other columns than were asked for" ;;
        endless_body | endless_chunks) words="other columns than were asked for|has a line of more than 64 MiB" ;;
        later_huge_line | later_endless_part) words="has a line of more than 64 MiB" ;;
        endless_rows) words="has more than 1 rows, which were not asked for" ;;
        many_columns) words="has a line of more than 64 columns" ;;
        endless_header*) words="has more than 256 KiB of headers|Too large response headers|too large header|Out of memory|Failure when receiving|header" ;;
        endless_100) words="has more than 256 KiB of headers" ;;
        silent | stalled* | trickling* | huge_length) words="gave less than 64 KiB in 3 s: .*FISQL_SERVER_SECONDS" ;;
        endless_error) words="has more than 1 MiB" ;;
        redirect*) words="HTTP status 30[27]: is it ClickHouse's HTTP port" ;;
        packed) words="has other columns|a line of more than" ;;
        later_endless_parts | later_huge_database) words="which cannot be" ;;
        *) words="fisql: http://127.0.0.1:$port" ;;
    esac
    report "$(grep -Eqs "$words" "$kind.err" && [ "$(cat "$kind.status")" = 2 ]; echo $?)" "a server, $kind: given up, and why" \
        "status $(cat "$kind.status"), $(head -c 500 "$kind.err")"
done
# A file is made by SQL alone that came from the server.
same "no SQL of a server's was run" "" "$(ls made 2>/dev/null)"
same "nothing is left of what was pulled" "" "$(find . -name 'pulled*')"
export FISQL_SERVER_SECONDS=3
run timeout 200 "$fisql" push "http://127.0.0.1:$port/sql_in_names" small.db
same "push to such a server: status, nothing made" "2 " "$status $(ls made 2>/dev/null)"
run timeout 200 "$fisql" pull "http://127.0.0.1:$port/sql_in_names" abcdef -o pulled.db
same "pull from such a server: status, nothing made" "2 " "$status $(ls made pulled.db 2>/dev/null)"
FISQL_SERVER_SECONDS=soon run "$fisql" fleet runs --url "http://127.0.0.1:$port/silent"
has "FISQL_SERVER_SECONDS that is no number" "2 fisql: FISQL_SERVER_SECONDS=soon: wants seconds" "$status $err"
unset FISQL_SERVER_SECONDS
