#!/bin/bash
# fisql record -p on programs whose C library is musl. Its dlclose() does nothing: the collector's library stays, as if
# it had just been opened, and serves the next attach. All else is as it was, and what is recorded is complete.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped - attaching is for x86-64"
    exit 0
fi
if ! command -v musl-gcc >/dev/null 2>&1; then
    echo "skipped - musl-gcc is not here"
    exit 0
fi
# shellcheck source=tests/attach/process.sh
. "$here/tests/attach/process.sh"
musl-gcc -O2 -g -o attached "$programs/attached.c" || exit 1
musl-gcc -O1 -g -o attach_waits "$programs/attach_waits.c" || exit 1

# FILE: a state without the library that stays, its variables without a first value, and the stacks (musl unmaps them)
# of threads that come and go
besides() {
    grep -v -e /memfd:fisql-collector "$1" | while read -r range rest; do
        case $rest in
            "rw-p 00000000 00:00 0"* | "---p 00000000 00:00 0"*)
                case $rest in *[a-z]) ;; *) continue ;; esac ;;
        esac
        echo "$range $rest"
    done
}

# ---- a busy server with threads that come and go, children and signal handlers
serve server ./attached 600 fork handler
sleep 0.3
state "$pid" >before
attach --for 500ms -o one.bin
same "a busy server is attached to: exit status" 0 "$status"
has "... says what it records" "recording 1" "$err"
lacks "... and finds each file that the process has" "another one" "$err"
state "$pid" >after
same "... but for the library all is as before" "" "$(diff <(besides before) <(besides after))"
libraries=$(grep -c /memfd:fisql-collector after)
anonymous=$(grep -c ' 00:00 0 *$' after)
attached=1
for _ in $(seq 19); do
    attach -q --for 20ms -o again.bin
    [ "$status" -eq 0 ] && attached=$((attached + 1))
done
same "... twenty times" 20 $attached
state "$pid" >last
same "... which leaves no second library, nor anything else" "$libraries " \
    "$(grep -c /memfd:fisql-collector last) $(diff <(besides after) <(besides last))"
at_least "... nor memory" "$(grep -c ' 00:00 0 *$' last)" $((anonymous + 2)) # a thread's stack and its guard
controlled controlled

timeout 20 "$fisql" record -q -p "$pid" --for 2s -o during.bin &
sleep 0.7
attach --for 1s -o second.bin
same "one that is recorded is refused" 2 "$status"
has "... with a sentence" "it is recorded already" "$err"
wait $!
attach --values --for 1s -o values.bin
same "--values is refused" 2 "$status"
has "... with a sentence" "its C library is musl" "$err"
pkill -TERM -P "$pid" attached # its client
wait "$job"
same "the server ends as it would have" 0 $?
has "... no request was lost, no signal mask changed" "masks 0, children wrong 0" "$(grep '^server' server.out)"
has "... and the client got its answers" "unanswered 0, wrong 0" "$(grep '^client' server.out)"

"$fisql" load -q one.bin >load.txt 2>&1
same "the log loads without loss" 0 $?
for log in again during; do
    "$fisql" load -q $log.bin
    at_least "so has that of a later attach ($log) calls" 100 "$(sql $log.db "SELECT count(*) FROM calls")"
done
server_log one

# ---- all threads wait for a condition, or for each other
serve waits ./attach_waits 8 60
attach -q -o waits.bin
same "a process whose threads wait is attached to until it ends: exit status" 0 "$status"
wait "$job"
same "... which is as it would have been" "0 woken 480" "$? $(tail -1 waits.out)"
"$fisql" load -q waits.bin
calls=$(of waits wake_up)
at_least "... and its calls are there" 300 "$calls"
at_least "... each once" "$calls" 480

# ---- in a container that has nothing but musl
mkdir -p root/lib root/proc root/tmp
cp /lib/ld-musl-x86_64.so.1 root/lib/ && cp attach_waits root/
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
    serve contained unshare -m sh -c 'mount -t proc proc root/proc && exec chroot root /attach_waits 2 100'
    attach -q --for 1s -o contained.bin
    same "one in another mount namespace and root folder: exit status" 0 "$status"
    wait "$job"
    same "... ends as it would have" "0 woken 200" "$? $(tail -1 contained.out)"
    "$fisql" load -q contained.bin
    at_least "... and has calls" 20 "$(sql contained.db "SELECT count(*) FROM calls WHERE ended = 0")"
else
    echo "skipped - mount namespaces are for root"
fi

# ---- from its start
run "$fisql" record -o start.bin ./attach_waits 2 10
same "recorded from its start: output and exit status" "0 woken 20" "$status $(tail -1 <<<"$out")"
lacks "... and each file is found that it has" "another one" "$err"
