#!/usr/bin/env python3
"""make bench-queries: how long each canned query takes on a recording of Lua of some 70 million calls,
and which of them scan the large tables. Writes the section "Queries" of docs/performance.md.

    tests/bench/queries.py BUILD [ROUNDS]"""
import re
import sqlite3
import subprocess
import time

from common import build_programs, fisql, machine, rounds, run, write_section


def seconds(query):
    start = time.monotonic()
    subprocess.run([fisql, "query", query, "run.db", "--format", "csv"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


build_programs()
run([fisql, "record", "-q", "-o", "run.bin", "./lua.hooks", "sort.lua"])
run([fisql, "load", "-q", "run.bin"])
names = subprocess.run([fisql, "query", "--names"], check=True, capture_output=True, text=True).stdout.split()
calls = sqlite3.connect("run.db").execute("SELECT sum(calls) FROM threads").fetchone()[0]
lines, slow = [], []
for name in names:
    text = subprocess.run([fisql, "query", name, "--explain"], check=True, capture_output=True, text=True).stdout
    touches = bool(re.search(r"\b(FROM|JOIN) calls\b", text))
    best = min(seconds(name) for _ in range(rounds))
    limit = 0.3 if touches else 0.05
    lines.append((best, "| %s | %.1f | %s |" % (name, best * 1e3, "yes" if touches else "no")))
    if best > limit:
        slow.append(name)
lines = ["`make bench-queries` (best of %d) on %s: the canned queries on a run of %.1f million calls, the "
         "program's start and all rows printed included. Bars: 300 ms, and 50 ms for those that do not "
         "touch `calls`." % (rounds, machine(), calls / 1e6), "",
         "| query | ms | touches calls |", "| --- | --: | --- |"] + [line for _, line in sorted(lines, reverse=True)]
lines += ["", "Over its bar: %s." % (", ".join(slow) or "none")]
print("\n".join(lines))
write_section("Queries", lines)
