#!/usr/bin/env python3
"""What a macro of fisql_trace.h costs that is off, with the collector and without: writes the section "Macros" of
docs/performance.md. trace.py BUILD"""
import collections
import re
import subprocess

from common import fisql, machine, root, run, write_section

LEAST_ROUNDS = 400


def nanoseconds(command):
    out = subprocess.run(command + [str(LEAST_ROUNDS)], check=True, capture_output=True, text=True).stdout
    return {name: float(ns) for name, ns in (line.split() for line in out.splitlines())}


def instructions(program):
    """Of one macro: callgrind's count for the function with its 10 copies in 20,000 turns, less that of the one without."""
    run(["valgrind", "--tool=callgrind", "--callgrind-out-file=callgrind.txt", program, "1"])
    out = subprocess.run(["callgrind_annotate", "--threshold=100", "callgrind.txt"], check=True, capture_output=True,
                         text=True).stdout
    counts = collections.Counter()  # a function has a line for each file that its lines are in
    for count, name in re.findall(r"^ *([0-9,]+) .*:(\w+)(?:\.cold)?(?: \[.*)?$", out, re.MULTILINE):
        counts[name] += int(count.replace(",", ""))
    return {"FISQL_" + name.upper().rstrip("_"): (counts[name] - counts["nothing"]) / 200000
            for name in ("function", "checkpoint", "value", "result", "say", "pause_")}


columns = []
for compiler in ("gcc", "clang"):
    program = "./trace-" + compiler
    run([compiler, "-O2", "-g", "-I" + root + "/collector", "-o", program, root + "/tests/bench/trace.c"])
    columns += [instructions(program), nanoseconds([fisql, "record", "-q", "--level", "0", program]),
                nanoseconds([program])]
lines = ["`make bench-trace` (least of %d rounds, interleaved, processor time) on %s: ns and instructions of a macro that is "
         "off, `--level 0` with the collector, less those of the same loop without it." % (LEAST_ROUNDS, machine()), "",
         "| | gcc: instructions | ns recorded | ns without collector | clang: instructions | ns recorded | ns without collector |",
         "| --- | --: | --: | --: | --: | --: | --: |"]
for name in columns[0]:
    lines.append("| %s | %s |" % (name, " | ".join("%.2f" % column[name] for column in columns)))
print("\n".join(lines))
write_section("Macros", lines)
