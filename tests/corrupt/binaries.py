#!/usr/bin/env python3
"""Damaged copies of a program (bits flipped, a block zeroed, cut, a block of noise), the same ones every time:
reading the symbols, or the recipes, of each ends, in 30 s, by itself, and no sanitizer complains. binaries.py DUMP PROGRAM
COPIES, with symbols_dump or recipes_dump, prints what does not, then how many copies were read."""
import random
import subprocess
import sys

dump, program, copies = sys.argv[1], sys.argv[2], int(sys.argv[3])
whole = open(program, "rb").read()
for seed in range(copies):
    noise = random.Random(seed)
    data = bytearray(whole)
    at, size = noise.randrange(64, len(data)), noise.randrange(1, 4096)
    kind = ("flipped", "zeroed", "cut", "noise")[seed % 4]
    if kind == "flipped":
        for _ in range(noise.choice((1, 10, 200))):
            data[noise.randrange(64, len(data))] ^= 1 << noise.randrange(8)
    elif kind == "zeroed":
        data[at:at + size] = bytes(len(data[at:at + size]))
    elif kind == "cut":
        del data[at:]
    else:
        data[at:at + size] = noise.randbytes(len(data[at:at + size]))
    with open("damaged.bin", "wb") as file:
        file.write(data)
    try:
        done = subprocess.run([dump, "damaged.bin"], capture_output=True, timeout=30)
        if done.returncode < 0:
            print(seed, kind, "signal", -done.returncode)
        if b"Sanitizer" in done.stderr or b"runtime error" in done.stderr:
            print(seed, kind, done.stderr[-800:].decode("utf-8", "replace"))
    except subprocess.TimeoutExpired:
        print(seed, kind, "hangs")
print(copies, "copies")
