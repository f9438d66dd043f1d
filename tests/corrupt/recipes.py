#!/usr/bin/env python3
"""Forges caches of recipes with a checksum that fits, and records a program with each.

recipes.py FISQL RECIPES_DUMP CACHE PROGRAM NOISES

CACHE is the sound cache of PROGRAM (recipes_dump -c); NOISES caches are changed by chance. Prints a line for each forgery with which the program prints or
ends otherwise than without fisql, then how many were made and how many of them the reader took for sound.
"""
import os, random, struct, subprocess, sys

fisql, dump, cache, program, noises = sys.argv[1:]
HOOK_BYTES, VALUE_BYTES = 32, 24
whole = open(cache, "rb").read()
hooks, values = struct.unpack_from("<2Q", whole, 56)
values_at = len(whole) - values * VALUE_BYTES
hooks_at = values_at - hooks * HOOK_BYTES
SUM, MEMORY, VECTOR, REGISTER = 4, 3, 2, 1
RESULT_VECTOR, RESULT_X87, RESULT_MEMORY = 8, 10, 11
SIGNED, FLOAT, BYTES = 0, 3, 4


def checksum(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return value


def each_value(where, what, size, base, offset):
    def change(data):
        for i in range(values):
            struct.pack_into("<BBBBiQBB", data, values_at + VALUE_BYTES * i, where, what, size, base, offset, 0, 0, 0)
    return change


def each_hook(at, form, number):
    def change(data):
        for i in range(hooks):
            struct.pack_into(form, data, hooks_at + HOOK_BYTES * i + at, number)
    return change


def noise(seed):
    def change(data):
        draw = random.Random(seed)
        for _ in range(draw.choice((1, 4, 20))):
            if draw.random() < 0.3:
                field = draw.choice((16, 20, 22, 23, 24, 25, 26, 28, 29))
                data[hooks_at + HOOK_BYTES * draw.randrange(hooks) + field] = draw.randrange(256)
            else:
                at = VALUE_BYTES * draw.randrange(values) + draw.randrange(VALUE_BYTES)
                data[values_at + at] = draw.choice((0, 1, 7, 16, 31, 64, 255))
    return change


forgeries = {
    "memory at rax": each_value(MEMORY, SIGNED, 4, 0, 0),
    "memory far above the stack": each_value(MEMORY, SIGNED, 4, 7, 2**31 - 1),
    "memory far below it": each_value(MEMORY, SIGNED, 4, 7, -(2**31)),
    "a result at an entry": each_value(RESULT_MEMORY, BYTES, 16, 0, 0),
    "elements of 31 bytes": each_value(RESULT_VECTOR, BYTES, 64, 31, 0),
    "vector register 31": each_value(VECTOR, BYTES, 16, 31, 0),
    "register 31": each_value(REGISTER, SIGNED, 8, 31, 0),
    "a float of 64 bytes": each_value(REGISTER, FLOAT, 64, 0, 0),
    "a result of the x87 at an entry": each_value(RESULT_X87, BYTES, 16, 0, 0),
    "frame register 200": each_hook(23, "B", 200),
    "a frame far away": each_hook(24, "<i", 2**31 - 8),
    "a return address elsewhere": each_hook(28, "<i", -16),
}
forgeries.update((f"noise {seed}", noise(seed)) for seed in range(int(noises)))

home = os.path.abspath("forged")
os.makedirs(home + "/fisql", mode=0o700)
path = os.path.join(home, "fisql", os.path.basename(cache))
environment = dict(os.environ, XDG_CACHE_HOME=home)
plain = subprocess.run([program], capture_output=True)
used = 0
for name, change in [("the sound one", lambda data: None), *forgeries.items()]:
    data = bytearray(whole)
    change(data)
    struct.pack_into("<Q", data, 16, checksum(data[24:]))
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, 0o600)
    seen = subprocess.run([dump, "-q", "-c", home + "/fisql", program], capture_output=True, timeout=60)
    taken = seen.stdout.startswith(b"cached: ")
    if name == "the sound one" and not taken:
        print("the sound one is not used: the checksum is made in another way")
    used += taken
    with open(path, "wb") as file:
        file.write(data)
    done = subprocess.run([fisql, "record", "-q", "--values", "-o", "forged.bin", program], capture_output=True,
                          timeout=120, env=environment)
    if (done.returncode, done.stdout) != (plain.returncode, plain.stdout) or seen.returncode != 0:
        print(f"{name}: {done.returncode}, {seen.returncode}: {done.stderr[-300:].decode(errors='replace')}")
print(f"{len(forgeries)} forged")
print(f"{used - 1} used", file=sys.stderr)
