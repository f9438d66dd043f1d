# ClickHouse servers of a test's own, on loopback, and what they answer: sourced by tests of many runs.
# shellcheck shell=bash disable=SC2154 # here, fisql and status are of tests/e2e/lib.sh

# free_ports COUNT: ports that nothing listens on now
free_ports() {
    python3 - "$1" <<'P'
import socket, sys
sockets = []
for _ in range(int(sys.argv[1])):
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    sockets.append(s)
print(*[s.getsockname()[1] for s in sockets])
P
}

# clickhouse_start FOLDER HTTP TCP INTERSERVER TCP1 TCP2: one server that knows the cluster `two` of both; its
# process id is in FOLDER/pid
clickhouse_start() {
    mkdir -p "$1"
    cat >"$1/config.xml" <<X
<yandex>
    <logger><level>warning</level><log>$1/log</log><errorlog>$1/errors</errorlog></logger>
    <listen_host>127.0.0.1</listen_host>
    <http_port>$2</http_port><tcp_port>$3</tcp_port><interserver_http_port>$4</interserver_http_port>
    <path>$1/data/</path><tmp_path>$1/tmp/</tmp_path><user_files_path>$1/files/</user_files_path>
    <users_config>$1/users.xml</users_config><timezone>UTC</timezone>
    <default_profile>default</default_profile><default_database>default</default_database>
    <mark_cache_size>67108864</mark_cache_size>
    <remote_servers><two>
        <shard><replica><host>127.0.0.1</host><port>$5</port><password>secret</password></replica></shard>
        <shard><replica><host>127.0.0.1</host><port>$6</port><password>secret</password></replica></shard>
    </two></remote_servers>
</yandex>
X
    cat >"$1/users.xml" <<X
<yandex>
    <profiles><default><max_memory_usage>1000000000</max_memory_usage><max_threads>2</max_threads></default></profiles>
    <users><default><password>secret</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
    <quotas><default></default></quotas>
</yandex>
X
    clickhouse-server --config-file="$1/config.xml" >"$1/output" 2>&1 &
    echo $! >"$1/pid"
}

# clickhouse_ready HTTP: waits until it answers
clickhouse_ready() {
    local try
    for try in $(seq 300); do
        ask_server "$1" "SELECT 1" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    echo "no answer after $try tries" >&2
    return 1
}

# ask_server HTTP SQL [SETTINGS]: the answer
ask_server() {
    python3 - "$@" <<'P'
import sys, urllib.request
port, sql = sys.argv[1:3]
request = urllib.request.Request("http://127.0.0.1:%s/?user=default&password=secret&%s" % (port, "".join(sys.argv[3:])), sql.encode())
sys.stdout.write(urllib.request.urlopen(request, timeout=60).read().decode(errors="surrogateescape"))
P
}

clickhouse_stop() { # FOLDER
    [ -s "$1/pid" ] || return 0
    kill -9 "$(cat "$1/pid")" 2>/dev/null
    wait "$(cat "$1/pid")" 2>/dev/null
    rm -f "$1/pid"
}

# Today's ClickHouse as a library: tests/setup check installs it.
libchdb=${FISQL_CHDB:-${XDG_CACHE_HOME:-$HOME/.cache}/fisql-tests/chdb/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so}

# chdb_start FOLDER HTTP: a server around it, as clickhouse_start starts one; clickhouse_stop stops it
chdb_start() {
    mkdir -p "$1"
    python3 "$here/tests/fleet/chdb_server.py" "$libchdb" "$1" "$2" >"$1/output" 2>&1 &
    echo $! >"$1/pid"
}

# answers STORE QUERY: as CSV, of runs with the labels version=1.0 and version=2.0, with parameters that find something
answers() {
    local options=()
    case $2 in
        regressions) options=(-p before=1.0 -p after=2.0 -p q=1 -p min_share=0) ;;
        outliers) options=(-p factor=1 -p min_ns=0) ;;
        never-called) options=(-p max_runs=2) ;;
        trend) options=(-p by=version) ;;
        rare-paths) options=(-p max_percent=50) ;;
        always) options=(-p min_runs=1 -p min_percent=1) ;;
        imbalance) options=(-p min_share=0) ;;
    esac
    "$fisql" fleet "$2" --url "$1" "${options[@]}" --format csv 2>&1
}
all_answers() {
    for query in $("$fisql" fleet --names); do
        echo "== $query"
        answers "$1" "$query"
    done
}

# hostile_same RUN.db URL: names and labels that break what takes text for more than text are on the server what they are
# in a file
hostile_same() {
    local to label="version=1.0'; DROP TABLE labels; --"
    cp "$1" hostile.db
    python3 "$here/tests/fleet/hostile.py" hostile.db
    for to in hostile-many.db "$2"; do
        run "$fisql" push "$to" hostile.db --label "$label" --label 'y=$(reboot)`id`\'
        same "hostile names: pushed to ${to%%:*}" 0 "$status"
        "$fisql" pull -q "$to" ffffffffffffffff -o "back-${to%%:*}"
    done
    same "hostile names: the same answers" "$(all_answers hostile-many.db | sha256sum)" "$(all_answers "$2" | sha256sum)"
    same "hostile names: chosen by such a label" 1 "$("$fisql" fleet runs --url "$2" -p "runs=$label" --format json | jq length)"
    cmp -s back-hostile-many.db back-http
    report $? "hostile names: pulled byte by byte"
}
