# Two ClickHouse servers of a test's own, on loopback: sourced by tests of many runs.
# shellcheck shell=bash

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
