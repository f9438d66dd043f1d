#!/usr/bin/env python3
"""make bench: what recording costs, side by side in one run: the plain program, empty hooks, fisql
(preloaded and linked in), uftrace; heaptrack for allocations. Prints a table and writes the section
"Recording" of docs/performance.md.

    tests/bench/record.py BUILD [ROUNDS]

Everything runs in a temporary folder; logs go to the same file system for all. The rounds are
interleaved, so that a noisy minute strikes all of them; best and median are given."""
import glob
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

build = os.path.abspath(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
cache = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "fisql-tests")
work = tempfile.mkdtemp(prefix="fisql-bench-")
os.chdir(work)
fisql = build + "/fisql"


def run(command, **more):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def timed(command, env=None):
    """Wall and CPU seconds of a command and all that it starts."""
    environment = dict(os.environ, **(env or {}))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def size_of(path):
    if os.path.isdir(path):
        return sum(os.path.getsize(f) for f in glob.glob(path + "/*.dat"))
    return os.path.getsize(path)


def calls_in(log):
    run([fisql, "load", "-q", "--summary", "-o", "bench.db", log])
    out = subprocess.run(["sqlite3", "bench.db", "SELECT sum(calls) FROM threads"], check=True,
                         capture_output=True, text=True).stdout
    os.unlink("bench.db")
    return int(out)


def build_programs():
    with open("fib.c", "w") as file:
        file.write("""#include <pthread.h>
#include <stdlib.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static volatile int sink;
static void *run(void *n) { sink = fib((int)(long)n); return NULL; }
int main(int argc, char **argv) {
    pthread_t threads[8];
    int count = argc > 2 ? atoi(argv[2]) : 1;
    long n = atoi(argv[1]);
    for (int i = 1; i < count; i++) pthread_create(&threads[i], NULL, run, (void *)n);
    run((void *)n);
    for (int i = 1; i < count; i++) pthread_join(threads[i], NULL);
}
""")
    with open("heap.c", "w") as file:
        file.write("""#include <stdlib.h>
int main(int argc, char **argv) {
    void *volatile blocks[64] = {0};
    for (long i = 0; i < atol(argv[argc - 1]); i++) {
        free(blocks[i % 64]);
        blocks[i % 64] = malloc(16 + i % 400);
    }
    for (int i = 0; i < 64; i++) free(blocks[i]);
}
""")
    with open("empty.c", "w") as file:
        file.write("void __cyg_profile_func_enter(void *f, void *s) { (void)f; (void)s; }\n"
                   "void __cyg_profile_func_exit(void *f, void *s) { (void)f; (void)s; }\n")
    run(["gcc", "-O2", "-fPIC", "-shared", "-o", "empty.so", "empty.c"])
    flags = ["-O1", "-fno-optimize-sibling-calls", "-g"]
    run(["gcc"] + flags + ["-o", "fib.plain", "fib.c", "-lpthread"])
    run([fisql, "cc", "gcc"] + flags + ["-o", "fib.hooks", "fib.c", "-lpthread"])
    run([fisql, "cc", "--static-runtime", "gcc"] + flags + ["-o", "fib.linked", "fib.c", "-lpthread"])
    run(["gcc", "-O1", "-g", "-o", "heap.plain", "heap.c"])
    run([fisql, "cc", "gcc", "-O1", "-g", "-o", "heap.hooks", "heap.c"])
    source = glob.glob(cache + "/lua5.4/lua5.4-*/src")
    if not source:
        sys.exit("Lua's source is missing: run tests/setup check")
    os.mkdir("include")
    with open("include/lua5.4-deb-multiarch.h", "w") as file:
        file.write('#define DEB_HOST_MULTIARCH "bench"\n')
    files = [f for f in glob.glob(source[0] + "/*.c") if not f.endswith("/luac.c")]
    lua = ["-O1", "-g", "-w", "-Iinclude", "-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3", "-Wl,-E"]
    libraries = ["-lm", "-ldl"]
    run(["gcc"] + lua + ["-o", "lua.plain"] + files + libraries)
    run([fisql, "cc", "gcc"] + lua + ["-o", "lua.hooks"] + files + libraries)
    run([fisql, "cc", "--static-runtime", "gcc"] + lua + ["-o", "lua.linked"] + files + libraries)
    with open("sort.lua", "w") as file:
        file.write("""local t = {}
local x = 42
for round = 1, 1 do
  for i = 1, 160000 do x = (x * 1103515245 + 12345) % 2147483648; t[i] = x end
  table.sort(t, function(a, b) return a < b end)
end
print(t[1], t[#t])
""")


def measure(name, variants):
    """variants: name -> (command, environment, log). Returns name -> (walls, cpus, bytes)."""
    results = {variant: ([], [], 0) for variant in variants}
    for number in range(rounds):
        for variant, (command, env, log) in variants.items():
            if log and os.path.isdir(log):
                shutil.rmtree(log)
            elif log and os.path.exists(log):
                os.unlink(log)
            wall, cpu = timed(command, env)
            results[variant][0].append(wall)
            results[variant][1].append(cpu)
            if log and os.path.exists(log):
                results[variant] = results[variant][:2] + (size_of(log),)
        print("%s: round %d of %d" % (name, number + 1, rounds), file=sys.stderr)
    return results


def call_variants(program, arguments):
    return {
        "plain": (["./%s.plain" % program] + arguments, None, None),
        "empty hooks": (["./%s.hooks" % program] + arguments, {"LD_PRELOAD": work + "/empty.so"}, None),
        "fisql": ([fisql, "record", "-q", "-o", "run.bin", "./%s.hooks" % program] + arguments, None,
                  "run.bin"),
        "fisql, linked in": ([fisql, "record", "-q", "-o", "run2.bin", "./%s.linked" % program] +
                             arguments, None, "run2.bin"),
        "uftrace": (["uftrace", "record", "--no-libcall", "--no-event", "-d", "uftrace.data",
                     "./%s.hooks" % program] + arguments, None, "uftrace.data"),
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


build_programs()
report = []
fib = measure("fib(32)", call_variants("fib", ["32"]))
fib_calls = calls_in("run.bin")
report += table("fib(32), %.1f million calls" % (fib_calls / 1e6), fib, fib_calls, "call", "plain")
lua = measure("Lua", call_variants("lua", ["sort.lua"]))
lua_calls = calls_in("run.bin")
report += table("Lua sorting, %.1f million calls" % (lua_calls / 1e6), lua, lua_calls, "call", "plain")
pairs = 2000000
heap = measure("malloc and free", {
    "plain": (["./heap.plain", str(pairs)], None, None),
    "fisql": ([fisql, "record", "-q", "-o", "run.bin", "./heap.hooks", str(pairs)], None, "run.bin"),
    "heaptrack": (["heaptrack", "-o", "heap", "./heap.plain", str(pairs)], None, None),
})
report += table("malloc and free, %.0f million pairs" % (pairs / 1e6), heap, pairs, "pair", "plain")
threads = {n: measure("%d threads" % n, {
    "empty": (["./fib.hooks", "32", str(n)], {"LD_PRELOAD": work + "/empty.so"}, None),
    "fisql": ([fisql, "record", "-q", "-o", "run.bin", "./fib.hooks", "32", str(n)], None, "run.bin"),
}) for n in (1, 2)}
one, two = excess(threads[1], "fisql", "empty"), excess(threads[2], "fisql", "empty")

ratios = [
    ("fib: fisql's ns a call to uftrace's", 0.30, excess(fib, "fisql", "plain") / excess(fib, "uftrace", "plain")),
    ("Lua: fisql's time over the empty hooks' to uftrace's", 0.40,
     excess(lua, "fisql", "empty hooks") / excess(lua, "uftrace", "empty hooks")),
    ("a malloc and free pair: fisql's ns to heaptrack's", 0.30,
     excess(heap, "fisql", "plain") / excess(heap, "heaptrack", "plain")),
    ("two threads' cost a call to one thread's, two cores", 1.2, two / one),
]
report += ["### Ratios (best of %d rounds)" % rounds, "", "| | at most | measured |", "| --- | --: | --: |"]
report += ["| %s | %.2f | %.2f |" % row for row in ratios] + [""]
print("\n".join(report))

page = os.path.join(root, "docs/performance.md")
text = open(page).read() if os.path.exists(page) else "# Performance\n"
cpu = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
head = ["## Recording", "", "`make bench` (%d rounds, interleaved) on %s, %d cores. ns a call is wall time over "
        "the plain program's, for one enter and one exit." % (rounds, cpu.group(1) if cpu else "?", os.cpu_count()), ""]
section = "\n".join(head + report)
text = re.sub(r"\n## Recording\n.*?(?=\n## |\Z)", "", text, flags=re.S).rstrip("\n")
open(page, "w").write(text + "\n\n" + section.rstrip("\n") + "\n")
shutil.rmtree(work)
