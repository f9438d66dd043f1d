#!/usr/bin/env python3
"""make trust: how near the program's own time comes when the hooks' cost is taken out of a recording, on
six real programs from Debian's sources: an interpreter, a compressor, a compiler, a database, a C++ build tool and a
server, that of a benchmark beside it.

    tests/bench/trust.py BUILD [ROUNDS]

Prints the adjusted processor time of all calls (it is that of main) over that of the same binary with empty hooks, each
round beside the next: by the loop at the process's start alone, by the samples of the run, by --reference. Writes the
section of docs/performance.md."""
import glob
import os
import shutil
import sqlite3
import socket
import statistics
import struct
import subprocess
import sys
import time

from common import fisql, machine, rounds, run, source, work, write_section

HEADER = struct.Struct("<IHHII")
PORT = "16379"


def build_trust():
    os.mkdir("include")
    with open("include/lua5.4-deb-multiarch.h", "w") as file:
        file.write('#define DEB_HOST_MULTIARCH "bench"\n')
    flags = ["-O2", "-g", "-w"]
    lua = source("lua5.4", "lua5.4-*/src", "trust")
    run([fisql, "cc", "gcc"] + flags + ["-Iinclude", "-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3", "-Wl,-E", "-o", "lua"] +
        [f for f in glob.glob(lua + "/*.c") if not f.endswith("/luac.c")] + ["-lm", "-ldl"])
    zstd = source("libzstd", "libzstd-*", "trust")
    files = [f for part in ("lib/common", "lib/compress", "lib/decompress", "lib/dictBuilder", "programs")
             for f in glob.glob("%s/%s/*.c" % (zstd, part))]
    run([fisql, "cc", "gcc"] + flags + ["-DZSTD_DISABLE_ASM", "-DXXH_NAMESPACE=ZSTD_", "-I" + zstd + "/lib",
        "-I" + zstd + "/lib/common", "-I" + zstd + "/programs", "-o", "zstd"] + files + ["-pthread"])
    with open("text", "wb") as text:
        for name in sorted(glob.glob(zstd + "/lib/compress/*.c")):
            text.write(open(name, "rb").read())
    sqlite = source("sqlite3", "sqlite3-3*", "trust")
    os.mkdir("amalgamation")
    run([sqlite + "/configure", "-q", "--disable-tcl"], cwd="amalgamation")
    run(["make", "-s", "sqlite3.c"], cwd="amalgamation")
    run([fisql, "cc", "gcc"] + flags + ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-Iamalgamation",
        "-o", "speedtest1", "amalgamation/sqlite3.c", sqlite + "/test/speedtest1.c", "-lm"])
    tcc = source("tcc", "tcc-*/", "trust")
    os.mkdir("tcc.build")
    run([tcc + "/configure"], cwd="tcc.build")
    run([fisql, "cc", "gcc"] + flags + ["-DONE_SOURCE=1", "-Itcc.build", "-I" + tcc, "-o", "tcc", tcc + "/tcc.c", "-lm",
                                        "-ldl", "-lpthread"])
    ninja = source("ninja-build", "ninja-build-*/src", "trust")
    left_out = ("_test.cc", "perftest.cc", "win32.cc", ".in.cc", "/test.cc", "browse.cc", "_bench.cc")
    files = [f for f in glob.glob(ninja + "/*.cc")
             if not f.endswith(left_out) and "msvc" not in f and "minidump" not in f and "collision" not in f]
    run([fisql, "cc", "g++"] + flags + ["-o", "ninja"] + files)
    with open("build.ninja", "w") as file:
        file.write("rule cc\n  command = true -c $in -o $out\nrule ld\n  command = true $in -o $out\n")
        for folder in range(80):
            objects = ["out/dir%d/file_%d.o" % (folder, i) for i in range(40)]
            for i, name in enumerate(objects):
                file.write("build %s: cc src/dir%d/file_%d.c | src/h%d.h\n" % (name, folder, i, i))
            file.write("build out/lib%d.a: ld %s\n" % (folder, " ".join(objects)))
        file.write("build all: phony %s\ndefault all\n" % " ".join("out/lib%d.a" % i for i in range(80)))
    with open("work.lua", "w") as file:
        file.write("""local t, x = {}, 42
for i = 1, 8000 do x = (x * 1103515245 + 12345) % 2147483648; t[i] = x end
table.sort(t, function(a, b) return a < b end)
local words = {}
for i = 1, 6000 do words[i] = string.format("%05d", (i * 7919) % 30011) end
table.sort(words)
local text = table.concat(words, " "):gsub("%d%d", string.upper):rep(3)
local count = 0
for word in text:gmatch("%S+") do count = count + #word end
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
print(count, fib(18))
""")
    multiarch = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True).stdout.strip()
    redis = source("redis", "redis-*", "trust")
    shutil.copytree(redis, "redis")
    run(["make", "-s", "-C", "redis/deps", "hiredis", "linenoise", "lua", "hdr_histogram"])
    run(["make", "-s", "-j%d" % os.cpu_count(), "-C", "redis/src", "MALLOC=libc", "OPTIMIZATION=-O2",
         "CC=%s cc gcc" % fisql, "redis-server", "redis-benchmark"])
    return {"Lua": ["./lua", "work.lua"],
            "zstd": ["./zstd", "-q", "-f", "-3", "--single-thread", "text", "-o", "text.zst"],
            "tcc": ["./tcc", "-c", "-w", "-I" + tcc + "/include", "-I/usr/include/" + multiarch, "-Iamalgamation",
                    "amalgamation/sqlite3.c", "-o", "sqlite3.o"],
            "SQLite": ["./speedtest1", "--size", "2", "--memdb", "--testset", "main"],
            "ninja (C++)": ["./ninja", "-t", "graph"],
            "Redis": ["redis/src/redis-server", "--port", PORT, "--save", "", "--appendonly", "no"]}


def serve(process):
    """Asks each server that the process starts for the same work and then to end."""
    while process.poll() is None:
        try:
            server = socket.create_connection(("127.0.0.1", int(PORT)))
        except OSError:
            time.sleep(0.01)
            continue
        with server:
            subprocess.run(["redis/src/redis-benchmark", "-p", PORT, "-q", "-n", "40000", "-c", "10", "-P", "4", "-t",
                            "set,get,lpush,lpop,sadd,zadd"], stdout=subprocess.DEVNULL, check=True)
            server.sendall(b"SHUTDOWN NOSAVE\r\n")
            server.recv(100)  # nothing: it closes at its end


def start(name, command, env=None):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=dict(os.environ, **(env or {})))
    if name == "Redis":
        serve(process)
    if process.wait() not in (0, 1):
        sys.exit("%s: exit status %d" % (" ".join(command), process.returncode))


def times(log, database):
    """Of all calls, on the processor: seconds adjusted, and as measured; and how many they are."""
    run([fisql, "load", "-q", "--summary", "-o", database, log])
    opened = sqlite3.connect(database)
    return opened.execute("SELECT sum(self_cpu_ns) / 1e9, sum(raw_self_ns - self_wait_ns - self_preempted_ns) / 1e9,"
                          " sum(calls) FROM threads").fetchone()


def without_reference(log, out):
    """Copies the log without the reference's time. Returns what the loop measured, in seconds a call."""
    data, at, loop = open(log, "rb").read(), 0, None
    with open(out, "wb") as file:
        while at + 128 <= len(data):
            magic, _, kind, length, _ = HEADER.unpack_from(data, at)
            if magic != 0x4c515346: # disk blocks reserved and not used
                at += 8
                continue
            chunk = data[at:at + length]
            if kind == 2 and loop is None:
                words = chunk[128:].split(b"\0")
                facts = dict(zip(words[0::2], words[1::2]))
                loop = (int(facts[b"hook_inside_ps"]) + int(facts[b"hook_outside_ps"])) / 1e12
            if kind != 1 or b"reference_cpu_ns" not in chunk:
                file.write(chunk)
            at += length
    return loop


with open("empty.c", "w") as empty:
    empty.write("""#include <stdio.h>
#include <stdlib.h>
#include <time.h>
void __cyg_profile_func_enter(void *f, void *s) { (void)f; (void)s; }
void __cyg_profile_func_exit(void *f, void *s) { (void)f; (void)s; }
static double began;
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
static __attribute__((constructor)) void begin(void) { began = now(); }
static __attribute__((destructor)) void end(void)
{
    FILE *file = fopen(getenv("PLAIN"), "w");
    fprintf(file, "%f", now() - began);
    fclose(file);
}
""")
run(["gcc", "-O2", "-fPIC", "-shared", "-o", "empty.so", "empty.c"])


def plain_time(name, command):
    """Processor seconds of the program with empty hooks, from the constructors on: calls are recorded from there,
    and the dynamic linker's work before is some tenth of ninja's."""
    start(name, command, {"LD_PRELOAD": work + "/empty.so", "PLAIN": work + "/plain.txt"})
    with open("plain.txt") as file:
        return float(file.read())


programs = build_trust()
results = {name: [] for name in programs}
for number in range(rounds):
    for name, command in programs.items():
        plain = plain_time(name, command)
        start(name, [fisql, "record", "-q", "--reference", "-o", "run.bin"] + command)
        plain = (plain + plain_time(name, command)) / 2
        by_reference, raw, calls = times("run.bin", "run.db")
        loop = without_reference("run.bin", "plain.bin")
        by_samples = times("plain.bin", "plain.db")[0]
        results[name].append((calls / 1e6, plain, raw, max(0, raw - loop * calls) / plain, by_samples / plain,
                              by_reference / plain))
lines = ["`make trust` (%d rounds, interleaved) on %s. Processor time of the same binary with empty hooks from its"
         % (rounds, machine()),
         "constructors on, of all its calls as recorded, and adjusted over plain: median (least to most). *loop*: by a loop at the process's start",
         "alone; *samples*: by hooks that measure themselves, which is the default; *reference*: `record --reference`.", "",
         "| program | million calls | plain | recorded | loop | samples | reference |",
         "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
for name, rows in results.items():
    columns = list(zip(*rows))
    lines.append("| %s | %.2f | %.3f s | %.3f s | %s |" % (
        name, columns[0][0], statistics.median(columns[1]), statistics.median(columns[2]),
        " | ".join("%.2f (%.2f to %.2f)" % (statistics.median(column), min(column), max(column))
                   for column in columns[3:])))
print("\n".join(lines))
write_section("Trust", lines)
