#!/bin/bash
# Names of programs as distributions ship them: stripped, with what is left in the file or lies elsewhere.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
dump=$FISQL_BUILD/symbols_dump
cd "$TEST_TMP" || exit 2

cat >shop.c <<'C'
#include <stdio.h>
__attribute__((noinline)) static int price(int item) { return item * 3 + 1; }
__attribute__((noinline)) int total(int items)
{
    int sum = 0;
    for (int i = 0; i < items; i++)
        sum += price(i) ^ sum;
    return sum;
}
int main(int count, char **words)
{
    (void)words;
    printf("%d\n", total(count * 100));
    return 0;
}
C
gcc -O2 -g -rdynamic -Wl,--build-id -o whole shop.c
strip -o stripped whole
names() { "$dump" "$@" | cut -f1,5 | grep -E '(main|total|price)$' | sort -k2; } # address and name

# MiniDebugInfo, made as gdb's manual says
mini_debug() { # PROGRAM OUTPUT
    nm -D "$1" --format=posix --defined-only | awk '{ print $1 }' | LC_ALL=C sort >dynamic
    nm "$1" --format=posix --defined-only | awk '$2 == "T" || $2 == "t" || $2 == "D" { print $1 }' | LC_ALL=C sort >all
    LC_ALL=C comm -13 dynamic all >kept
    objcopy --only-keep-debug "$1" only
    objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=kept only packed
    rm -f packed.xz && xz packed
    strip --strip-all -R .comment -o "$2" "$1"
    objcopy --add-section .gnu_debugdata=packed.xz "$2"
}
mini_debug whole mini
same "stripped: exported functions alone" "main total" "$(names ./stripped | cut -f2 | xargs)"
same "MiniDebugInfo names the other functions" "$(names ./whole)" "$(names ./mini)"
same "they are symbols of the file's" "source	symtab" "$("$dump" -q ./mini | grep source)"
objcopy --remove-section .gnu_debugdata mini bare
with_section() { # FILE: the program with this in place of its section
    objcopy --add-section .gnu_debugdata="$1" bare other
}
head -c 300M /dev/zero | xz -0 >bomb
head -c 300 packed.xz >short
cp packed.xz late && printf x | dd of=late bs=1 seek=$(($(stat -c %s late) - 20)) conv=notrunc 2>/dev/null
echo nonsense >nonsense
xz <nonsense >no_elf
: | xz >nothing
for file in bomb short late nonsense no_elf nothing; do
    with_section $file
    same "MiniDebugInfo that is $file counts as none" "$(names ./stripped)" "$(names ./other)"
done
cat >damage.py <<'END'
import random, subprocess, sys
random.seed(11)
base = open("packed.xz", "rb").read()
bad = 0
for turn in range(60):
    data = bytearray(base)
    for _ in range(random.choice([1, 5])):
        data[random.randrange(len(data))] = random.randrange(256)
    open("damaged.xz", "wb").write(data)
    subprocess.run(["objcopy", "--add-section", ".gnu_debugdata=damaged.xz", "bare", "damaged"], check=True)
    bad += subprocess.run([sys.argv[1], "./damaged"], capture_output=True, timeout=60).returncode not in (0, 2)
print(bad)
END
same "60 damaged ones are read without a crash" 0 "$(python3 damage.py "$dump")"
