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
        failing_insert*) timeout 200 "$fisql" push "$url" small.db ;;
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
        endless_header*) words="has more than 256 KiB of headers|Too large response headers|too large header|Out of memory|Failure when receiving|grew larger than allowed|header" ;;
        endless_100) words="has more than 256 KiB of headers" ;;
        silent | stalled* | trickling* | huge_length) words="gave less than 64 KiB in 3 s: .*FISQL_SERVER_SECONDS" ;;
        endless_error) words="has more than 1 MiB" ;;
        redirect*) words="HTTP status 30[27]: is it ClickHouse's HTTP port" ;;
        packed) words="has other columns|a line of more than" ;;
        exception_after_200) words="the server failed" ;;
        failing_insert*) words="^fisql: http://127.0.0.1:$port: Code: 241. DB::Exception: Memory limit exceeded" ;;
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

# --- a database of somebody else whose columns' names are SQL
sqlite3 small.db "UPDATE functions SET own = 0 WHERE id = (SELECT function_id FROM function_stats WHERE calls > 0 LIMIT 1)"
cp small.db columns.db
sqlite3 columns.db "ALTER TABLE functions ADD COLUMN \"x FROM main.functions t; ATTACH 'made' AS p; --\" INTEGER"
"$fisql" tree small.db >expected.txt 2>&1
same "a column's name that is SQL: as without it" "$(cat expected.txt)" "$("$fisql" tree columns.db 2>&1)"
same "and no SQL of it was run" "" "$(ls made 2>/dev/null)"

# --- what lies beside a database: a journal that names a file to be removed, a link, a pipe, a WAL of none
# journal DATABASE: a journal of a change that was cut off, to this database and another one
journal() {
    python3 - "$1" "$PWD/victim" <<'P'
import os, struct, sys
mark = bytes.fromhex("d9d505f920a163d7")
database, name = sys.argv[1], sys.argv[2].encode()
page = struct.unpack(">H", open(database, "rb").read(18)[16:])[0]
pages = os.path.getsize(database) // page
head = mark + struct.pack(">IIIII", 0, 0, pages, 512, page)
with open(database + "-journal", "wb") as journal:
    journal.write(head + bytes(512 - len(head)) + struct.pack(">I", 0x40000000 // page + 1) + name)
    journal.write(struct.pack(">II", len(name), sum(name)) + mark)
P
}
echo precious >victim
"$fisql" push -q many.db small.db
for command in "query callers run.db" "info run.db" "report run.db -o r.html" "diff small.db run.db" "push other.db run.db" \
    "fleet runs --url run.db" "pull run.db abcdef -o pulled.db"; do
    for beside in journal wal link pipe; do
        case $command in fleet* | pull*) cp many.db run.db ;; *) cp small.db run.db ;; esac
        case $beside in
            journal) journal run.db && file=run.db-journal words="names another file" ;;
            wal) head -c 40000 /dev/zero >run.db-wal && file=run.db-wal words="not in WAL mode" ;;
            link) ln -s victim run.db-journal && file=run.db-journal words="no regular file" ;;
            pipe) mkfifo run.db-wal && file=run.db-wal words="no regular file" ;;
        esac
        # shellcheck disable=SC2086 # words
        run timeout 60 "$fisql" $command
        has "${command%% *}, $beside beside: refused" "2 fisql: run.db: is not opened while $PWD/$file lies beside it" "$status $err"
        has "${command%% *}, $beside beside: and why" "$words" "$err"
        same "${command%% *}, $beside beside: other files stay" precious "$(cat victim)"
        rm -f run.db-*
    done
done

# --- a file of many runs that does more than hold rows
cp many.db tables.db
sqlite3 tables.db "CREATE VIRTUAL TABLE more USING fts5(x)"
run "$fisql" fleet runs --url tables.db
has "a file of many runs with a virtual table: refused by name" "2 fisql: tables.db: has a virtual table, more" "$status $err"
cp many.db trigger.db
cp small.db second.db
sqlite3 second.db "UPDATE run SET value = 'eeeeeeeeeeeeeeee' WHERE key = 'run_id'"
sqlite3 trigger.db "CREATE TRIGGER t AFTER INSERT ON functions BEGIN DELETE FROM stacks; END;
    CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*) FROM n"
sqlite3 many.db "SELECT count(*) FROM stacks" >expected.txt
run timeout 60 "$fisql" push -q trigger.db second.db
same "one with a trigger and an endless view: pushed to, neither runs" "0 $(cat expected.txt)" \
    "$status $(sqlite3 trigger.db 'SELECT count(*) FROM stacks')"

# --- a full disk
if [ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=40k tmpfs full 2>/dev/null; then
    run "$fisql" pull many.db '*' -o full/pulled.db
    has "a full disk, pull: it says so, with the file" "2 fisql: " "$status $err"
    has "a full disk, pull: and why" "No space left on device" "$err"
    same "a full disk, pull: nothing is left" "" "$(ls -A full)"
    run "$fisql" push full/many.db small.db
    has "a full disk, push: it says so" "2 fisql: full/many.db: no room is left on its disk" "$status $err"
    umount full
else
    echo "# skipped: a full disk needs a mount, which is refused here"
fi
