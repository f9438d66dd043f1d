#!/usr/bin/env python3
"""make bench-load: what loading costs, side by side in one run: fisql load, a prepared INSERT of the
same rows with the fastest pragmas, and uftrace report on a recording of the same program. Prints a
table and writes the section "Loading" of docs/performance.md.

    tests/bench/load.py BUILD [ROUNDS]

Rounds are interleaved and the best and the median are given: the first writes of a round may pay for
memory that the (virtual) machine has to find, which is no part of what is compared."""
import os
import re
import statistics
import subprocess
import time

from common import build, build_programs, calls_in, fisql, machine, rounds, run, size_of, write_section

LARGE_LOG_BYTES = 1e9
INSERT_ROWS = 10000000


def resources(command):
    """Wall seconds, CPU seconds and peak megabytes of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit("%s: exit status %d" % (" ".join(command), process.returncode))
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def load(log, threads, query=None):
    """Resources of a load into run.db; with a query after it, also its wall time."""
    if os.path.exists("run.db"):
        os.unlink("run.db")  # to free the pages of an older database takes time of its own
    wall, cpu, peak = resources([fisql, "load", "-q", "--threads", str(threads), "-o",
                                 "run.db", log])
    return wall + (resources([fisql, "query", query, "run.db"])[0] if query else 0), cpu, peak


def insert():
    """Seconds a row of a prepared INSERT."""
    out = subprocess.run([build + "/bench_insert", "run.db", "insert.db", str(INSERT_ROWS)],
                         check=True, capture_output=True, text=True).stdout.split()
    os.unlink("insert.db")
    return float(out[1]) / int(out[0])


def row(name, samples, calls, log_bytes):
    walls = [s[0] for s in samples]
    best = min(walls)
    return "| %s | %.2f | %.2f | %.2f | %.1f | %.0f | %.0f |" % (
        name, best, statistics.median(walls), min(s[1] for s in samples), calls / best / 1e6,
        log_bytes / best / 1e6, max(s[2] for s in samples))


build_programs()
run([fisql, "record", "-q", "--no-compress", "-o", "lua.bin", "./lua.hooks", "sort.lua"])
run([fisql, "record", "-q", "--no-compress", "-o", "threads.bin", "./fib.hooks", "35", "2"])
run(["uftrace", "record", "--no-libcall", "--no-event", "-d", "uftrace.data", "./lua.hooks", "sort.lua"])
lua_calls, thread_calls = calls_in("lua.bin"), calls_in("threads.bin")
one, inserts, query, report, two = [], [], [], [], {1: [], 2: []}
for number in range(rounds):
    one.append(load("lua.bin", 1))
    inserts.append(insert())
    query.append(load("lua.bin", 2, "hot-functions"))
    report.append(resources(["uftrace", "report", "-d", "uftrace.data"]))
    for threads in two:
        two[threads].append(load("threads.bin", threads))
    print("round %d of %d" % (number + 1, rounds), flush=True)

load("lua.bin", 1)
bytes_a_call = size_of("run.db") / lua_calls
text = open("sort.lua").read()
scale = LARGE_LOG_BYTES / size_of("lua.bin") * 1.05
open("large.lua", "w").write(re.sub(r"1, 160000 do",
                                    lambda found: "1, %d do" % int(160000 * scale), text))
run([fisql, "record", "-q", "--no-compress", "-o", "large.bin", "./lua.hooks", "large.lua"])
large_bytes = size_of("large.bin")
large = [load("large.bin", 2)]
large_calls = int(subprocess.run(["sqlite3", "run.db", "SELECT sum(calls) FROM threads"], check=True,
                                 capture_output=True, text=True).stdout)

rate = lua_calls / min(s[0] for s in one)
lines = ["`make bench-load` (%d rounds, interleaved) on %s." % (rounds, machine()), "",
         "| | wall s, best | median | CPU s, best | million calls/s | MB of log/s | peak MiB |",
         "| --- | --: | --: | --: | --: | --: | --: |",
         row("Lua sorting, %.1f million calls, one core" % (lua_calls / 1e6), one, lua_calls,
             size_of("lua.bin")),
         row("two threads' fib(35), %.1f million calls, one core" % (thread_calls / 1e6), two[1],
             thread_calls, size_of("threads.bin")),
         row("the same, two cores", two[2], thread_calls, size_of("threads.bin")),
         row("Lua, a log of %.2f GB" % (large_bytes / 1e9), large, large_calls, large_bytes), "",
         "| | |", "| --- | --: |",
         "| prepared INSERT of the same rows, million rows/s | %.2f |" % (1e-6 / min(inserts)),
         "| fisql load and `fisql query hot-functions` on Lua, s | %.2f |" % min(s[0] for s in query),
         "| uftrace report on Lua, s | %.2f |" % min(s[0] for s in report), "",
         "| | bar | measured |", "| --- | --: | --: |",
         "| calls/s a core, millions | at least 10 | %.1f |" % (rate / 1e6),
         "| faster than a prepared INSERT | at least 7 | %.1f |" % (rate * min(inserts)),
         "| two threads' logs on two cores, times as fast | at least 1.6 | %.2f |" % (
             min(s[0] for s in two[1]) / min(s[0] for s in two[2])),
         "| load and query to uftrace report | at most 1 | %.2f |" % (
             min(s[0] for s in query) / min(s[0] for s in report)),
         "| peak memory, MiB, a log of %.2f GB | at most 512 | %.0f |" % (large_bytes / 1e9, large[0][2]),
         "| bytes of database a call | at most 32 | %.1f |" % bytes_a_call]
print("\n".join(lines))
write_section("Loading", lines)
