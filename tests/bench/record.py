#!/usr/bin/env python3
"""make bench: what recording costs, side by side in one run: the plain program, empty hooks, hooks that
only read the clock (the floor of whatever keeps both times of each call), fisql (preloaded and linked
in, with each option that lowers the cost, and recording the program without hooks as it is), uftrace on the same build and on its own best one (-pg -mfentry);
heaptrack for allocations. Prints a table and writes the section
"Recording" of docs/performance.md.

    tests/bench/record.py BUILD [ROUNDS] [PART]

With a PART ("as-is") only that is measured, and the page stays.

Everything runs in a temporary folder; logs go to the same file system for all. The rounds are
interleaved, so that a noisy minute strikes all of them; best and median are given."""
import os
import statistics
import subprocess
import sys

from common import build_programs, calls_in, fisql, machine, measure, rounds, run, work, write_section


def clock_ns():
    """What two readings of the hooks' clock take one after another."""
    with open("twice.c", "w") as file:
        file.write("""#include <stdint.h>
#include <stdio.h>
#include <time.h>
#if defined(__x86_64__)
#define READ() __builtin_ia32_rdtsc()
#else
static uint64_t READ(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_nsec; }
#endif
int main(void) {
    volatile uint64_t last;
    struct timespec a, b;
    double best = 1e9;
    for (int round = 0; round < 20; round++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < 1000000; i++) { last = READ(); last = READ(); }
        clock_gettime(CLOCK_MONOTONIC, &b);
        double ns = (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec);
        if (ns < best) best = ns;
    }
    (void)last;
    printf("%.2f ", best / 1e6);
}
""")
    subprocess.run(["gcc", "-O2", "-o", "twice", "twice.c"], check=True)
    return float(subprocess.run(["./twice"], check=True, capture_output=True, text=True).stdout)


def call_variants(program, arguments):
    return {
        "plain": (["./%s.plain" % program] + arguments, None, None),
        "empty hooks": (["./%s.hooks" % program] + arguments, {"LD_PRELOAD": work + "/empty.so"}, None),
        "hooks that only read the clock": (["./%s.hooks" % program] + arguments,
                                           {"LD_PRELOAD": work + "/clock.so"}, None),
        "fisql": ([fisql, "record", "-q", "-o", "run.bin", "./%s.hooks" % program] + arguments, None,
                  "run.bin"),
        "fisql, linked in": ([fisql, "record", "-q", "-o", "run2.bin", "./%s.linked" % program] +
                             arguments, None, "run2.bin"),
        "uftrace": (["uftrace", "record", "--no-libcall", "--no-event", "-d", "uftrace.data",
                     "./%s.hooks" % program] + arguments, None, "uftrace.data"),
        "uftrace, -pg -mfentry": (["uftrace", "record", "--no-libcall", "--no-event", "-d", "uftrace2.data",
                                   "./%s.fentry" % program] + arguments, None, "uftrace2.data"),
    }


def table(title, results, calls, unit, base):
    lines = ["### " + title, "", "| | wall s, best | median | CPU s, best | ns a %s, best | median | "
             "bytes a %s |" % (unit, unit), "| --- | --: | --: | --: | --: | --: | --: |"]
    floor_best, floor_median = min(results[base][0]), statistics.median(results[base][0])
    for variant, (walls, cpus, size) in results.items():
        best, median = min(walls), statistics.median(walls)
        lines.append("| %s | %.3f | %.3f | %.3f | %.1f | %.1f | %s |" % (
            variant, best, median, min(cpus), (best - floor_best) / calls * 1e9,
            (median - floor_median) / calls * 1e9, "%.2f" % (size / calls) if size else "-"))
    return lines + [""]


def excess(results, variant, base, of=min):
    return of(results[variant][0]) - of(results[base][0])


# ---- without hooks, recorded as it is
as_is_ratios = []


def as_is(title, program, arguments):
    """Each row's calls are its own: the compiler has inlined more where there are no hooks, and uftrace leaves some
    functions alone."""
    plain, hooks = "./%s.plain" % program, "./%s.hooks" % program
    results = measure(title + ", as it is", {
        "plain": ([plain] + arguments, None, None),
        "hooks that only read the clock": ([hooks] + arguments, {"LD_PRELOAD": work + "/clock.so"}, None),
        "fisql, compiled hooks": ([fisql, "record", "-q", "-o", "run.bin", hooks] + arguments, None, "run.bin"),
        "fisql, as it is": ([fisql, "record", "-q", "--as-is", "-o", "asis.bin", plain] + arguments, None, "asis.bin"),
        "uftrace -P .": (["uftrace", "record", "--no-libcall", "--no-event", "-P", ".", "-d", "uftrace3.data", plain] + arguments,
                         None, "uftrace3.data"),
    })
    hooked = calls_in("kept.bin")
    run([fisql, "record", "-q", "--as-is", "-o", "asis.bin", plain] + arguments)
    calls = {"plain": 0, "hooks that only read the clock": hooked, "fisql, compiled hooks": hooked,
             "fisql, as it is": calls_in("asis.bin"),
             "uftrace -P .": results["uftrace -P ."][2] // 32} # two records of 16 bytes
    os.unlink("asis.bin")
    lines = ["### %s, without hooks" % title, "", "| | million calls | wall s, best | median | CPU s, best | ns a call, best | median |",
             "| --- | --: | --: | --: | --: | --: | --: |"]
    cost = {}
    for variant, (walls, cpus, _) in results.items():
        each = [(of(walls) - of(results["plain"][0])) / calls[variant] * 1e9 if calls[variant] > 1000 else 0
                for of in (min, statistics.median)]
        cost[variant] = each[0]
        lines.append("| %s | %.1f | %.3f | %.3f | %.3f | %.1f | %.1f |" % (
            variant, calls[variant] / 1e6, min(walls), statistics.median(walls), min(cpus), *each))
    as_is_ratios.append(("%s as it is: fisql's ns a call to those of hooks that only read the clock" % title, 1.15,
                         cost["fisql, as it is"] / cost["hooks that only read the clock"]))
    if cost["uftrace -P ."] > 0:
        as_is_ratios.append(("%s as it is: fisql's ns a call to those of uftrace -P ." % title, 0.50,
                             cost["fisql, as it is"] / cost["uftrace -P ."]))
    return lines + [""]


build_programs()
unhooked = as_is("fib(32)", "fib", ["32"]) + as_is("Lua -O2 sorting", "lua2", ["sort.lua"])
if sys.argv[3:] == ["as-is"]:
    print("\n".join(unhooked + ["%s: at most %.2f, measured %.2f" % ratio for ratio in as_is_ratios]))
    sys.exit()
report = []
fib = measure("fib(32)", call_variants("fib", ["32"]))
fib_calls = calls_in("kept.bin")
report += table("fib(32), %.1f million calls" % (fib_calls / 1e6), fib, fib_calls, "call", "plain")
lua = measure("Lua", call_variants("lua", ["sort.lua"]))
lua_calls = calls_in("kept.bin")
report += table("Lua sorting, %.1f million calls" % (lua_calls / 1e6), lua, lua_calls, "call", "plain")


def option(name, program, *options):
    return (name, ([fisql, "record", "-q", "-o", "run.bin"] + list(options) +
                   ["./lua." + program, "sort.lua"], None, "run.bin"))


options = measure("options", dict([
    option("gcc, everything", "hooks"),
    option("gcc, --no-alloc", "hooks", "--no-alloc"),
    option("gcc, --time sampled", "hooks", "--time", "sampled"),
    option("gcc, --time none", "hooks", "--time", "none"),
    option("gcc, --min-duration 1us", "hooks", "--min-duration", "1us"),
    option("gcc, --depth 12", "hooks", "--depth", "12"),
    option("gcc, --exclude 'lvm.c'", "hooks", "--exclude", "lvm.c"),
    option("gcc, --ring 1M", "hooks", "--ring", "1M"),
    option("gcc, --start-off", "hooks", "--start-off"),
    option("gcc, --exclude '*'", "hooks", "--exclude", "*"),
    option("gcc, --no-compress", "hooks", "--no-compress"),
    option("clang -O2, everything", "clang"),
    option("clang -O2, cc --after-inlining", "after"),
]))
report += ["### Lua sorting, with what lowers the cost", "", "| | wall s, best | median | log MB |",
           "| --- | --: | --: | --: |"]
for variant, (walls, cpus, size) in options.items():
    report.append("| %s | %.3f | %.3f | %.1f |" % (variant, min(walls), statistics.median(walls), size / 1e6))
report += ["",
           'What separates two rows by a tenth of a second is noise: "gcc, everything" runs the same command as '
           '"fisql" in the table above. Three options save no time here, so they may stand above it. '
           '`--no-alloc`: Lua makes hardly any allocations when it sorts. `--min-duration`: a count takes the '
           'place of an entry and an exit, and about their space; each call is still timed, and what is saved is '
           "rows of the database. `--exclude`: only a twentieth of the log is lvm.c's, and each hook has to look "
           'its function up.', ""]
report += unhooked
pairs = 2000000
heap = measure("malloc and free", {
    "plain": (["./heap.plain", str(pairs)], None, None),
    "fisql": ([fisql, "record", "-q", "-o", "run.bin", "./heap.hooks", str(pairs)], None, "run.bin"),
    "heaptrack": (["heaptrack", "-o", "heap", "./heap.plain", str(pairs)], None, None),
})
report += table("malloc and free, %.0f million pairs" % (pairs / 1e6), heap, pairs, "pair", "plain")
threads = {n: measure("%d threads" % n, {
    "empty": (["./fib.hooks", "32", str(n)], {"LD_PRELOAD": work + "/empty.so"}, None),
    "clock": (["./fib.hooks", "32", str(n)], {"LD_PRELOAD": work + "/clock.so"}, None),
    "fisql": ([fisql, "record", "-q", "-o", "run.bin", "./fib.hooks", "32", str(n)], None, "run.bin"),
}) for n in (1, 2)}
one, two = excess(threads[1], "fisql", "empty"), excess(threads[2], "fisql", "empty")

clock = "hooks that only read the clock"
off = {name: (min(options[name][0]) - min(lua["empty hooks"][0])) / lua_calls * 1e9
       for name in ("gcc, --start-off", "gcc, --exclude '*'", "gcc, --time none")}
ratios = [
    ("fib: fisql's ns a call to hooks' that only read the clock", 1.25, excess(fib, "fisql", "plain") / excess(fib, clock, "plain")),
    ("Lua: the same", 1.25, excess(lua, "fisql", "plain") / excess(lua, clock, "plain")),
    ("fib: fisql's ns a call to those of uftrace's best build", 0.55,
     excess(fib, "fisql", "plain") / excess(fib, "uftrace, -pg -mfentry", "plain")),
    ("Lua: the same", 0.55, excess(lua, "fisql", "plain") / excess(lua, "uftrace, -pg -mfentry", "plain")),
    ("Lua, --start-off: ns a call over empty hooks", 1.5, off["gcc, --start-off"]),
    ("Lua, --exclude '*': the same", 1.5, off["gcc, --exclude '*'"]),
    ("Lua, --time none: the same", 3, off["gcc, --time none"]),
    ("Lua, --time sampled: wall time to the plain program's", 6,
     min(options["gcc, --time sampled"][0]) / min(lua["plain"][0])),
    ("fib: fisql's ns a call to uftrace's", 0.30, excess(fib, "fisql", "plain") / excess(fib, "uftrace", "plain")),
    ("Lua: fisql's time over the empty hooks' to uftrace's", 0.40,
     excess(lua, "fisql", "empty hooks") / excess(lua, "uftrace", "empty hooks")),
    ("a malloc and free pair: fisql's ns to heaptrack's", 0.30,
     excess(heap, "fisql", "plain") / excess(heap, "heaptrack", "plain")),
    ("two threads' cost a call to one thread's, two cores", 1.2, two / one),
] + as_is_ratios
control = excess(threads[2], "clock", "empty") / excess(threads[1], "clock", "empty")
report += ["### Ratios (best of %d rounds)" % rounds, "", "| | at most | measured |", "| --- | --: | --: |"]
report += ["| %s | %.2f | %.2f |" % row for row in ratios]
report += ["| the same of hooks that only read the clock: what the machine does to two threads | - | %.2f |" % control, ""]
print("\n".join(report))

write_section("Recording", [
    "`make bench` (%d rounds, interleaved) on %s; reading its clock twice takes %.1f ns. ns a call is wall time over "
    "the plain program's, for one enter and one exit. CPU is that of `fisql record` as well, which compresses the log "
    "on another core." % (rounds, machine(), clock_ns()), ""] + report)
