#!/usr/bin/env python3
"""What loading other tools' recordings costs: writes the section "Other tools' recordings" of
docs/performance.md. foreign.py BUILD ROUNDS. Wants 5 GB in the temporary folder.

Each load has one core. Lua, built from Debian's source, sorts and formats; its run is written for Perfetto and Chrome by
`fisql export`, so each slice has an argument that no other one has, its call's number."""
import os
import re
import statistics
import subprocess

from common import fisql, machine, rounds, run, source, timed, write_section

SCRIPT = """local x = 42
local function random() x = (x * 1103515245 + 12345) % 2147483648; return x end
local t = {}
for i = 1, 20000 do t[i] = {k = random(), s = string.format("%d:%s", i, random())} end
table.sort(t, function(a, b) return a.k < b.k end)
local out = {}
for i = 1, #t do out[#out + 1] = t[i].s:gsub(":", "-"):upper() end
print(#table.concat(out, ","))
"""
FIB = """#include <stdio.h>
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { printf("%d\\n", fib(35)); }
"""


def one(sql):
    return int(subprocess.run(["sqlite3", "run.db", sql], check=True, capture_output=True, text=True).stdout)


def megabytes(path):
    if os.path.isdir(path):
        return sum(os.path.getsize(os.path.join(path, file)) for file in os.listdir(path)) / 1e6
    return os.path.getsize(path) / 1e6


def record_fib():
    open("fib.c", "w").write(FIB)
    run(["gcc", "-O1", "-g", "-pg", "-o", "fib", "fib.c"])
    run(["uftrace", "record", "--no-event", "--no-sched", "--no-pager", "-b", "64m", "-d", "fib.uftrace", "./fib"])


def record_lua():
    open("work.lua", "w").write(SCRIPT)
    os.mkdir("include")
    open("include/lua5.4-deb-multiarch.h", "w").write('#define DEB_HOST_MULTIARCH "bench"\n')
    folder = source("lua5.4", "lua5.4-*/src", "bench")
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".c") and name != "luac.c"]
    run([fisql, "cc", "gcc", "-O2", "-g", "-w", "-Iinclude", "-DLUA_USE_LINUX", "-Wl,-E", "-o", "lua", *files, "-lm", "-ldl"])
    run([fisql, "record", "-q", "--no-alloc", "./lua", "work.lua"])
    run([fisql, "load", "-q"])
    run([fisql, "export", "--format", "perfetto", "-o", "lua.pftrace"])
    run([fisql, "export", "--format", "chrome", "-o", "lua.json"])
    with open("lua.json") as whole, open("plain.json", "w") as plain:
        for line in whole:
            plain.write(re.sub(r',"args":{"call":\d+}', "", line))


def load_rate(path):
    """Slices, and millions of them a second."""
    seconds = []
    for _ in range(rounds):
        if os.path.exists("run.db"):
            os.unlink("run.db")
        os.sync()
        seconds.append(timed(["taskset", "-c", str(max(os.sched_getaffinity(0))), fisql, "load", "-q", "-o", "run.db", path])[1])
    slices = one("SELECT sum(calls) FROM threads")
    return slices, slices / statistics.median(seconds) / 1e6


record_fib()
record_lua()
recordings = [("uftrace's folder: fib(35)", "fib.uftrace", "5"),
              ("Perfetto's protobuf: Lua, each slice with an argument of its own", "lua.pftrace", ""),
              ("Chrome's JSON: the same", "lua.json", "1"),
              ("Chrome's JSON: the same without arguments", "plain.json", "1")]
lines = [f"`make bench-foreign`, {machine()}: `fisql load` on one core, the median of {rounds}, by the time of the processor.", "",
         "| | slices | MB | bar | million slices/s |", "| --- | --: | --: | --: | --: |"]
for words, path, bar in recordings:
    slices, rate = load_rate(path)
    lines.append(f"| {words} | {slices:,} | {megabytes(path):,.0f} | {bar} | {rate:.2f} |")
write_section("Other tools' recordings", lines)
