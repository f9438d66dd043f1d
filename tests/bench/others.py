#!/usr/bin/env python3
"""make bench-others: what README's table compares: one program, Lua sorting, under each tool that can record it as it
is. perf and callgrind run the plain program, fisql and uftrace the one with hooks. Times are CPU seconds of the program
and the tool, the best of the rounds. Writes the section "Beside others" of docs/performance.md.

    tests/bench/others.py BUILD [ROUNDS]"""
import shutil

from common import build_programs, calls_in, fisql, machine, measure, rounds, write_section

build_programs()
variants = {
    "plain": (["./lua.plain", "sort.lua"], None, None),
    "perf": (["perf", "record", "-q", "-g", "-o", "perf.data", "./lua.plain", "sort.lua"], None, "perf.data"),
    "uftrace": (["uftrace", "record", "--no-libcall", "--no-event", "-d", "uftrace.data", "./lua.hooks", "sort.lua"],
                None, "uftrace.data"),
    "heaptrack": (["heaptrack", "-o", "heaptrack.data", "./lua.plain", "sort.lua"], None, None),
    "callgrind": (["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=callgrind.data", "./lua.plain",
                   "sort.lua"], None, "callgrind.data"),
    "fisql": ([fisql, "record", "-q", "-o", "run.bin", "./lua.hooks", "sort.lua"], None, "run.bin"),
}
there = {name: variant for name, variant in variants.items()
         if name in ("plain", "fisql") or shutil.which(variant[0][0])}
results = measure("Lua", there)
calls = calls_in("kept.bin")
plain = min(results["plain"][1])
lines = ["`make bench-others` (best of %d rounds, interleaved) on %s: Lua sorting, %.1f million calls. CPU time of the "
         "program and the tool." % (rounds, machine(), calls / 1e6), "",
         "| | CPU s | times as long | MB written |", "| --- | --: | --: | --: |"]
for name, (_, cpus, size) in results.items():
    lines.append("| %s | %.2f | %.1f | %s |" % (name, min(cpus), min(cpus) / plain,
                                                "%.0f" % (size / 1e6) if size else "-"))
print("\n".join(lines))
write_section("Beside others", lines)
