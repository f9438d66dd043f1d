# Real runs for tests of many runs: sourced.
# shellcheck shell=bash disable=SC2154 # here, fisql and status are of tests/e2e/lib.sh

# build_program NAME: wordstat (examples/), lua or zstd (fetched by tests/setup), for recording
build_program() {
    local source files
    case $1 in
        wordstat) "$fisql" cc gcc -w -O1 -g -pthread -o wordstat "$here/examples/wordstat.c" ;;
        lua)
            source=$(echo "$sources"/lua5.4/lua5.4-*/src)
            mkdir -p include && echo "#define DEB_HOST_MULTIARCH \"$(gcc -print-multiarch)\"" >include/lua5.4-deb-multiarch.h
            files=$(cd "$source" && find . -name '*.c' ! -name luac.c | sort)
            # shellcheck disable=SC2086 # a list of words
            (cd "$source" && "$fisql" cc gcc -w -O1 -g -I"$TEST_TMP/include" -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -Wl,-E \
                -o "$TEST_TMP/lua" $files -lm -ldl)
            cat >script.lua <<'L'
local words, rounds = {}, tonumber(arg[1])
for i = 1, 300 do words[i] = string.format("%05d", (i * 7919) % 301) end
for _ = 1, rounds do table.sort(words, function(a, b) return a > b end) end
local text = table.concat(words, " "):gsub("%d%d", string.upper)
if rounds % 7 == 0 then print(pcall(load, "return 1 +")) end
print(#text, select(2, text:gsub("%S+", "")))
L
            ;;
        zstd)
            source=$(echo "$sources"/libzstd/libzstd-*)
            files=$(cd "$source" && find lib/common lib/compress lib/decompress lib/dictBuilder programs -name '*.c' | sort)
            # shellcheck disable=SC2086 # a list of words
            (cd "$source" && "$fisql" cc gcc -w -O1 -g -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ \
                -I"$source/lib" -I"$source/lib/common" -I"$source/programs" -pthread -o "$TEST_TMP/zstd" $files)
            head -c 60000 "$source/lib/compress/zstd_compress.c" >text
            ;;
    esac
}

# fleet_runs COUNT PROGRAM...: so many runs of each, PROGRAM.NUMBER.run.db, with what differs from run to run
fleet_runs() {
    local count=$1 program number
    shift
    for program in "$@"; do
        build_program "$program"
        report $? "$program builds"
        for number in $(seq "$count"); do
            case $program in
                wordstat) set -- ./wordstat ;;
                lua) set -- ./lua script.lua $((5 + number % 3)) ;;
                zstd) set -- ./zstd -q -f -k -$((number % 4 + 1)) --single-thread --no-asyncio text -o text.zst ;;
            esac
            "$fisql" record -q -o run.bin "$@" >/dev/null 2>&1 && "$fisql" load -q run.bin -o "$program.$number.run.db"
            [ $? -eq 0 ] || report 1 "$program: run $number is recorded"
        done
    done
}
