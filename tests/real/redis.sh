#!/bin/bash
# Redis from Debian's source package, recorded while redis-benchmark talks to it on the loopback interface:
# it serves, stops when it is told to, and the calls of call() that execute commands are as many as the server
# itself counted, give or take none.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
# shellcheck source=tests/real/gcov.sh
. "$(dirname "$0")/gcov.sh"
cd "$TEST_TMP" || exit 2

build_redis || exit 0
port=$((20000 + RANDOM % 20000))
"$fisql" record -q -o run.bin redis/src/redis-server --port $port --bind 127.0.0.1 --save '' --appendonly no \
    --daemonize no >server.log 2>&1 &
server=$!
cli=(redis/src/redis-cli -p "$port")
for _ in $(seq 100); do
    [ "$(timeout 5 "${cli[@]}" ping 2>/dev/null)" = PONG ] && break
    sleep 0.1
done
timeout 60 redis/src/redis-benchmark -q -p "$port" -n 2000 -c 10 -t set,get,lpush,lpop,sadd,zadd >bench.log 2>&1
same "redis-benchmark ends with 0" 0 $?
processed=$(timeout 5 "${cli[@]}" info stats | tr -d '\r' | sed -n 's/^total_commands_processed://p')
timeout 20 "${cli[@]}" shutdown nosave >/dev/null 2>&1
wait $server
same "the server ends with 0" 0 $?
"$fisql" load -q run.bin
same "loads without loss" 0 $?
sound "Redis" run.db
at_least "the server processed the benchmark's commands" 12000 "$processed"
# INFO itself and SHUTDOWN come after the count was taken: two more.
same "call() ran as often as the server counted, and for INFO and SHUTDOWN" "$((processed + 2))" \
    "$(sql run.db "SELECT s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id
                   JOIN files ON files.id = f.file_id WHERE f.name = 'call' AND files.name = 'server.c'")"
same "background threads are there by name" "bio_aof_fsync bio_close_file bio_lazy_free" \
    "$(sql run.db "SELECT name FROM threads WHERE name LIKE 'bio%' ORDER BY name" | tr '\n' ' ' | sed 's/ $//')"

# What a server does depends on the clock, so gcov counts in the very process that is recorded: built with
# both, each function's calls are the same, and dead-code is what gcov counts 0 for.
make -s -C redis/src clean >/dev/null 2>&1
make -s -j2 -C redis/src MALLOC=libc OPTIMIZATION=-O0 CFLAGS="--coverage -fprofile-update=atomic" LDFLAGS=--coverage \
    CC="$fisql cc gcc" redis-server redis-benchmark redis-cli >build.log 2>&1
report $? "Redis builds with gcov" "$(tail -n 5 build.log)"
mkdir others # where the clients' own coverage goes
port=$((20000 + RANDOM % 20000))
"$fisql" record -q -o gcov.bin redis/src/redis-server --port $port --bind 127.0.0.1 --save '' --appendonly no \
    --daemonize no >server.log 2>&1 &
server=$!
export GCOV_PREFIX=$TEST_TMP/others
cli=(redis/src/redis-cli -p "$port")
for _ in $(seq 100); do
    [ "$(timeout 5 "${cli[@]}" ping 2>/dev/null)" = PONG ] && break
    sleep 0.1
done
timeout 60 redis/src/redis-benchmark -q -p "$port" -n 2000 -c 10 -t set,get,lpush,lpop,sadd,zadd,mset,lrange >bench.log 2>&1
timeout 5 "${cli[@]}" eval 'return redis.call("incrby", KEYS[1], 3)' 1 counter >/dev/null
timeout 20 "${cli[@]}" shutdown nosave >/dev/null 2>&1
wait $server
same "the server with gcov ends with 0" 0 $?
unset GCOV_PREFIX
"$fisql" load -q gcov.bin
ln -s redis/src gcov
GCOV_FOLDER=/redis/src/ compare_with_gcov "Redis" gcov.db true
