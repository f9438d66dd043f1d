#!/bin/bash
# The caches of symbols and recipes (~/.cache/fisql) as somebody else may have left them: cut short, noise, another user's,
# one that others may write to, a link, a FIFO, a folder. None is used, none crashes or hangs the reader.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
build g++ app -O1 -g -std=c++17 -Wl,--build-id "$programs/exceptions.cc" || exit 0
symbols=$FISQL_BUILD/symbols_dump
expected=$("$symbols" ./app)
"$symbols" -C -c cache -q ./app >/dev/null
sound=$(echo cache/*.symbols)
same "the cache is written" "cached	1" "$("$symbols" -C -c cache -q ./app | grep cached)"
cp "$sound" sound.symbols

# unused WHAT: with what lies there now, symbols are those of the program, and not of the cache
unused() {
    run timeout 60 "$symbols" -C -c cache -q ./app
    same "$1: not used" "0 cached	0" "$status $(grep cached <<<"$out")"
    lacks "$1: nothing crashes" Sanitizer "$err"
    prepare
}
prepare() {
    rm -rf "$sound"
    cp sound.symbols "$sound"
}

for bytes in 0 1 95 96 97 1000; do
    head -c $bytes sound.symbols >"$sound"
    unused "cut to $bytes bytes"
done
head -c 100000 /dev/urandom >"$sound"
unused "noise"
{ cat sound.symbols && printf 12345678; } >"$sound"
unused "more than there should be"
rm "$sound" && ln -s "$PWD/sound.symbols" "$sound"
unused "a symbolic link"
rm "$sound" && mkfifo "$sound"
unused "a FIFO"
rm "$sound" && mkdir "$sound"
unused "a folder"
chmod 666 "$sound"
unused "one that all may write to"
if [ "$(id -u)" -eq 0 ]; then
    chown 12345 "$sound"
    unused "another user's"
fi
same "the sound one is used" "cached	1" "$("$symbols" -C -c cache -q ./app | grep cached)"

# Copies with bytes changed and a checksum that fits: what is used cannot crash.
cat >forge.py <<'P'
import random, struct, subprocess, sys
dump, path, copies = sys.argv[1:]
whole = open("sound.symbols", "rb").read()
def digest(start, data):
    value = start
    for word, in struct.iter_unpack("<Q", data[:len(data) // 8 * 8]):
        value = (value ^ word) * 0x9e3779b97f4a7c15 & (1 << 64) - 1
        value ^= value >> 29
    return value
START = 0xcbf29ce484222325
if digest(START, whole[16:]) != struct.unpack_from("<Q", whole, 8)[0]:
    sys.exit("the checksum is made in another way")
used = 0
for seed in range(int(copies)):
    draw = random.Random(seed)
    data = bytearray(whole)
    for _ in range(draw.choice((1, 3, 30))):
        at = draw.randrange(96, len(data) - 8)
        if draw.random() < .5:
            data[at] ^= 1 << draw.randrange(8)
        else:
            struct.pack_into("<Q", data, at & ~7, draw.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)))
    struct.pack_into("<Q", data, 8, digest(START, data[16:]))
    open(path, "wb").write(data)
    for options in ([], ["-p"], ["-l", "1", "-l", "4500"]):
        try:
            done = subprocess.run([dump, "-C", "-c", "cache", *options, "./app"], capture_output=True, timeout=60)
            if done.returncode < 0 or b"Sanitizer" in done.stderr or b"runtime error" in done.stderr:
                print(seed, options, done.returncode, done.stderr[-600:].decode("utf-8", "replace"))
        except subprocess.TimeoutExpired:
            print(seed, options, "hangs")
print(copies, "forged")
P
copies=$(share 200)
same "with changed bytes and a checksum that fits, nothing crashes" "$copies forged" "$(python3 forge.py "$symbols" "$sound" "$copies" 2>&1)"
prepare
same "the program's symbols are as before" "$expected" "$("$symbols" ./app)"

# The same of recipes, which the collector relies on within the program: it prints and ends as it does.
"$FISQL_BUILD/recipes_dump" -q -c recipes ./app >/dev/null
run python3 "$here/tests/corrupt/recipes.py" "$fisql" "$FISQL_BUILD/recipes_dump" recipes/*.recipes ./app "$(share 100)"
same "with forged recipes the program is untouched" "$((12 + $(share 100))) forged" "$out"
at_least "some of them are used" 5 "${err%% *}"
