#!/usr/bin/env python3
"""folder.py FOLDER FILE: packs the files of a folder of uftrace for tests/fuzz/fuzz_load.c. Symbols of libraries are left out."""
import os
import sys

folder, output = sys.argv[1:3]
names = sorted(os.listdir(folder), key=lambda name: (name != "info", name != "task.txt", name))
with open(output, "wb") as file:
    file.write(b"uftrace folder\n")
    for name in names:
        with open(os.path.join(folder, name), "rb") as part:
            content = part.read()
        if len(content) < 20000 and not (name.startswith(("lib", "ld-")) or name.startswith("perf-")):
            file.write(name.encode() + b"\n" + len(content).to_bytes(2, "little") + content)
