#!/usr/bin/env python3
"""make bench-times: how near the adjusted times come to what the program takes untraced, on
programs of different call density. The sum of self times over a thread is the time in its code, so
raw and adjusted sums are compared with the time the plain program takes in itself. Writes the section
"Times" of docs/performance.md.

    tests/bench/times.py BUILD [ROUNDS]

Rounds are interleaved; the fastest of each counts, for whatever disturbs makes only longer."""
import subprocess
import time

from common import build_programs, fisql, machine, rounds, run, write_section

MATRIX = """#include <stdio.h>
#include <stdlib.h>
enum { N = 300 };
static double a[N][N], b[N][N], c[N][N];
static double cell(int i, int k) { double s = 0; for (int j = 0; j < N; j++) s += a[i][j] * b[j][k]; return s; }
static void row(int i) { for (int k = 0; k < N; k++) c[i][k] = cell(i, k); }
int main(void)
{
    for (int i = 0; i < N; i++) for (int k = 0; k < N; k++) a[i][k] = b[k][i] = i ^ k;
    for (int round = 0; round < 6; round++) {
        a[round][7] += c[2][round];
        for (int i = 0; i < N; i++) row(i);
    }
    return c[3][4] < 0;
}
"""

TABLE = """#include <stdint.h>
#include <stdlib.h>
#include <string.h>
enum { SLOTS = 4096, ROUNDS = 300000 };
static char keys[SLOTS][64];
static uint64_t hash(const char *key)
{
    uint64_t h = 14695981039346656037u;
    for (; *key != 0; key++) h = (h ^ (unsigned char)*key) * 1099511628211u;
    return h;
}
static int find(const char *key)
{
    uint64_t slot = hash(key) % SLOTS;
    while (keys[slot][0] != 0 && strcmp(keys[slot], key) != 0) slot = (slot + 1) % SLOTS;
    if (keys[slot][0] == 0) strcpy(keys[slot], key);
    return (int)slot;
}
int main(void)
{
    char key[64];
    unsigned sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        memset(key, 'a' + i % 26, 60);
        memcpy(key + 40, &(char[]){'a' + i % 7, 'a' + i % 11, 'a' + i % 13}, 3);
        key[60] = 0;
        sum += (unsigned)find(key);
    }
    return sum == 1;
}
"""


def wall(command):
    start = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - start


def sums(command):
    """Calls, raw and adjusted sum of self times in seconds of a recording."""
    run([fisql, "record", "-q", "-o", "run.bin"] + command)
    run([fisql, "load", "-q", "--summary", "run.bin"])
    out = subprocess.run(["sqlite3", "run.db", "SELECT sum(calls), sum(raw_self_ns), sum(self_ns) FROM function_stats"],
                         check=True, capture_output=True, text=True).stdout.split("|")
    return int(out[0]), int(out[1]) / 1e9, int(out[2]) / 1e9


build_programs()
open("matrix.c", "w").write(MATRIX)
open("table.c", "w").write(TABLE)
for name in ("matrix", "table"):
    flags = ["-O1", "-g", "-fno-inline", name + ".c"]
    run(["gcc", "-o", name + ".plain"] + flags)
    run([fisql, "cc", "gcc", "-o", name + ".hooks"] + flags)
open("empty_main.c", "w").write("int main(void) { return 0; }\n")
run(["gcc", "-o", "nothing", "empty_main.c"])
programs = {"fib(32)": ("fib", ["32"]), "Lua sorting": ("lua", ["sort.lua"]),
            "hash table of strings": ("table", []), "matrix product": ("matrix", [])}
plain = {name: [] for name in programs}
traced = {name: [] for name in programs}
start = []
for number in range(rounds):
    start.append(wall(["./nothing"]))
    for name, (program, arguments) in programs.items():
        plain[name].append(wall(["./%s.plain" % program] + arguments))
        traced[name].append(sums(["./%s.hooks" % program] + arguments))
    print("round %d of %d" % (number + 1, rounds), flush=True)

lines = ["`make bench-times` (%d rounds, interleaved, the fastest of each) on %s. Untraced: wall time of the "
         "plain program less that of an empty one. Raw and adjusted: sums of self times." % (rounds, machine()), "",
         "| | million calls | calls/s untraced, millions | untraced s | raw s | adjusted s | raw over untraced | "
         "adjusted over untraced | error left, ns a call |",
         "| --- | --: | --: | --: | --: | --: | --: | --: | --: |"]
for name in programs:
    untraced = min(plain[name]) - min(start)
    calls, raw, adjusted = min(traced[name], key=lambda sample: sample[1])
    lines.append("| %s | %.2f | %.1f | %.4f | %.4f | %.4f | %.2f | %.2f | %.2f |" % (
        name, calls / 1e6, calls / untraced / 1e6, untraced, raw, adjusted, raw / untraced, adjusted / untraced,
        (adjusted - untraced) / calls * 1e9))
lines += ["", "What is left is what the measurement at start does not see: the instrumented code itself is larger and "
          "slower (the calls of the hooks spill registers and keep functions from being merged), and the hooks' memory "
          "displaces the program's from the caches. Trust nanoseconds of a function with 100 ns a call or more; "
          "below, trust counts and ranks. Tables print times a call that are smaller than the hooks' own cost as `~N ns`. "
          "The matrix product shows code that the hooks make slower: gcc keeps a "
          "function's result in memory across the hook at its end when it is a floating-point number, so here the "
          "sum's loop waits for each store. No tracer that uses these hooks can take that out."]
print("\n".join(lines))
write_section("Times", lines)
