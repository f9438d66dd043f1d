#!/usr/bin/env python3
"""Part of make bench-load: what loading arguments and results costs, on 20 million calls of fib with one argument
and, of each 64th, a call with a pointer, a text and a double (bench_values.c). Writes the section "Values" of
docs/performance.md.

    tests/bench/values.py BUILD [ROUNDS]"""
import os
import sqlite3
import subprocess

from common import build, fisql, machine, rounds, size_of, write_section

CALLS = 20000000


def load(log):
    """Processor seconds, and the most memory in MiB."""
    done = subprocess.run(["/usr/bin/time", "-f", "%U %S %M", fisql, "load", "-q", "--threads", "1", "-o", "run.db", log],
                          capture_output=True, text=True)
    user, system, memory = done.stderr.splitlines()[-1].split()
    return float(user) + float(system), int(memory) / 1024


rows, plain = [], None
for what, title in (("none", "no values"), ("arguments", "arguments"), ("results", "arguments and results")):
    with open("run.bin", "wb") as log:
        subprocess.run([build + "/bench_values", str(CALLS), what], stdout=log, check=True)
    runs = [load("run.bin") for _ in range(rounds)]
    seconds, memory = min(run[0] for run in runs), max(run[1] for run in runs)
    values = sqlite3.connect("run.db").execute("SELECT count(*) FROM call_values").fetchone()[0]
    size = size_of("run.db")
    if plain is None:
        plain = seconds, size
        rows.append("| %s | %.1f MB | - | %.1f s | - | %.0f MB | - | %.0f MiB |" %
                    (title, size_of("run.bin") / 1e6, seconds, size / 1e6, memory))
    else:
        rows.append("| %s | %.1f MB | %.1f million | %.1f s | %.1f million | %.0f MB | %.1f | %.0f MiB |" %
                    (title, size_of("run.bin") / 1e6, values / 1e6, seconds, values / 1e6 / (seconds - plain[0]), size / 1e6,
                     (size - plain[1]) / values, memory))
    os.unlink("run.db")
write_section("Values", ("""`make bench-load` (best of %d) on %s: %.0f million calls of fib, of each 64th a call with a pointer, a text and a
double. Processor time of `fisql load --threads 1`; values a second in addition to the calls. Bars: 5 million values a second, 16 bytes
a value in the database, 512 MiB.

| recorded | log | values | load | values a second | database | bytes a value | memory |
| --- | --: | --: | --: | --: | --: | --: | --: |
%s
""" % (rounds, machine(), CALLS / 1e6, "\n".join(rows))).splitlines())
