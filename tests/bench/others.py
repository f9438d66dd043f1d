#!/usr/bin/env python3
"""make bench-others: what README's table compares: one program, Lua sorting, under each tool that can record it as it
is. perf, heaptrack and callgrind run the plain program, uftrace the one with hooks, fisql both. Times are CPU seconds of
the program and the tool, the best of the rounds, less what an empty script takes: starting a tool is not its cost. Writes
the section "Beside others" of docs/performance.md.

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
    "fisql, as it is": ([fisql, "record", "-q", "-o", "any.bin", "./lua.plain", "sort.lua"], None, "any.bin"),
    "fisql, as it is, --time sampled": (
        [fisql, "record", "-q", "--time", "sampled", "-o", "any.bin", "./lua.plain", "sort.lua"], None, "any.bin"),
}
there = {name: variant for name, variant in variants.items()
         if name == "plain" or name.startswith("fisql") or shutil.which(variant[0][0])}
results = measure("Lua", there)
calls = calls_in("kept.bin")
open("empty.lua", "w").close()
starts = measure("Lua, an empty script", {
    name: ([word if word != "sort.lua" else "empty.lua" for word in command], environment, log)
    for name, (command, environment, log) in there.items()})


def cost(name):
    return max(0.0, min(results[name][1]) - min(starts[name][1]))


lines = ["`make bench-others` (best of %d rounds, interleaved) on %s: Lua sorting, %.1f million calls. CPU time of the "
         "program and the tool, less what an empty script takes." % (rounds, machine(), calls / 1e6), "",
         "| | CPU s | times as long | MB written |", "| --- | --: | --: | --: |"]
for name, (_, _, size) in results.items():
    lines.append("| %s | %.2f | %.1f | %s |" % (name, cost(name), cost(name) / cost("plain"),
                                                "%.1f" % (size / 1e6) if size else "-"))
print("\n".join(lines))
write_section("Beside others", lines)
