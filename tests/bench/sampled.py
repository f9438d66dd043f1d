#!/usr/bin/env python3
"""What `record --time sampled` costs and how near its estimates are: sampled.py FISQL [ROUNDS]. Programs of Debian, as they are, run ROUNDS
(5) times in turn: plain, and recorded with each --time. Of the last round: how far the own CPU times of the ten functions with most are apart,
as shares of the whole, between --time sampled, --time full, and perf's samples of plain runs (half the sum of the differences: 5 % means that
a twentieth of the time is in other functions)."""
import bisect
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

LUA = """local t, x = {}, 42
for i = 1, 160000 do x = (x * 1103515245 + 12345) % 2147483648; t[i] = x end
table.sort(t, function(a, b) return a < b end)
"""
BASH = 'for ((i = 0; i < 30000; i++)); do a[i % 100]=$((i * 7 % 13)); s="x${a[i % 100]}"; [[ $s == x3 ]] && n=$((n + 1)); done; true'
PERL = 'my %h; for my $i (1..150000) { my $k = "k" . ($i * 7919 % 10007); $h{$k} .= chr(65 + $i % 26); $n++ if $h{$k} =~ /A[B-K]+L/ }'
SQL = """CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) INSERT INTO t SELECT i, 'row ' || (i * 7919 % 10007), i / 3.0 FROM n;
CREATE INDEX tb ON t(b); SELECT count(*), sum(x.c) FROM t x JOIN t y USING (b) WHERE x.a % 7 = 0;
"""
WAYS = ("full", "sampled", "none")
TOP = 10


def programs(folder):
    """name -> command. What a machine lacks is left out."""
    def file(name, text):
        with open(os.path.join(folder, name), "w", encoding="ascii") as out:
            out.write(text)
        return name
    with open(os.path.join(folder, "data"), "wb") as out:
        for i in range(60000):
            out.write(b"%d some words and numbers %d\n" % (i, i * i * 2654435761 % 4294967296))
    found = {"lua5.4": ["lua5.4", file("sort.lua", LUA)], "bash": ["bash", "-c", BASH], "perl": ["perl", "-e", PERL],
             "sqlite3": ["sqlite3", ":memory:", ".read " + file("work.sql", SQL)], "bzip2": ["bzip2", "-kc", "data"],
             "gzip": ["gzip", "-kc9", "data"], "xz": ["xz", "-kc3T1", "data"], "zstd": ["zstd", "-kc12", "--single-thread", "data"],
             "python3": ["/usr/bin/python3", "-S", "-c", "print(sum(len(str(i)) for i in range(400000)))"],
             "sort": ["sort", "--parallel=1", "-k6n", "data"]}
    return {name: command for name, command in found.items()
            if subprocess.run(["which", command[0]], capture_output=True, check=False).returncode == 0}


def timed(command):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def own_times(fisql, log):
    """Function addresses in the program's file -> own CPU time, as a share of all; (start, size) of each; calls; bytes."""
    database = log + ".db"
    subprocess.run([fisql, "load", "-q", "--calls=none", "-o", database, log], check=True, stderr=subprocess.DEVNULL)
    with sqlite3.connect(database) as connection:
        rows = connection.execute("""
            SELECT m.path, f.address, f.size, s.self_cpu_ns, s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id
                   JOIN modules m ON m.id = f.module_id""").fetchall()
    os.unlink(database)
    total = sum(row[3] for row in rows) or 1
    return ({(os.path.basename(path), address): cpu / total for path, address, size, cpu, calls in rows},
            sorted((os.path.basename(path), address, size) for path, address, size, cpu, calls in rows), sum(row[4] for row in rows))


def perf_shares(command, places):
    """The same by perf's samples, of those that lie in the recorded functions."""
    subprocess.run(["perf", "record", "-q", "-F", "9999", "-e", "cpu-clock:u", "-o", "perf.data"] + command, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = subprocess.run(["perf", "script", "-i", "perf.data", "--show-mmap-events", "-F", "ip,event"], check=True, capture_output=True,
                          text=True).stdout
    maps, hits = [], {}
    for line in text.splitlines():
        mapped = re.search(r"\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: r-xp (\S+)", line)
        sample = re.search(r"cpu-clock:u?:?\s+([0-9a-f]+)", line)
        if mapped:
            start, size, offset = (int(mapped[i], 16) for i in (1, 2, 3))
            maps.append((start, start + size, start - offset, os.path.basename(mapped[4])))
        elif sample:
            ip = int(sample[1], 16)
            for start, end, bias, name in maps:
                if start <= ip < end:
                    at = bisect.bisect_right(places, (name, ip - bias, 1 << 62)) - 1
                    if at >= 0 and places[at][0] == name:
                        hits[places[at][:2]] = hits.get(places[at][:2], 0) + 1
    total = sum(hits.values())
    return {place: count / total for place, count in hits.items()} if total > 300 else None


def apart(one, other):
    """Of the ten functions with most in either."""
    if one is None or other is None:
        return "-"
    top = set(sorted(one, key=one.get)[-TOP:]) | set(sorted(other, key=other.get)[-TOP:])
    return "%.1f %%" % (50 * sum(abs(one.get(place, 0) - other.get(place, 0)) for place in top))


def main():
    fisql = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    folder = tempfile.mkdtemp(prefix="fisql-bench-")
    os.chdir(folder)
    print("| program | million calls | full, times plain | sampled | none | bytes a call, full | sampled | sampled and full apart | "
          "full and perf | sampled and perf |\n| --- " + "| --: " * 9 + "|")
    for name, command in programs(folder).items():
        walls = {way: [] for way in ("plain",) + WAYS}
        for _ in range(rounds):
            walls["plain"].append(timed(command))
            for way in WAYS:
                walls[way].append(timed([fisql, "record", "-q", "--time", way, "-o", way + ".bin"] + command))
        ratios = [statistics.median(wall / plain for wall, plain in zip(walls[way], walls["plain"])) for way in WAYS]
        full, places, calls = own_times(fisql, "full.bin")
        sampled = own_times(fisql, "sampled.bin")[0]
        perf = perf_shares(command, places)
        sizes = [os.path.getsize(way + ".bin") / max(calls, 1) for way in ("full", "sampled")]
        print("| %s | %.1f | %.2f | %.2f | %.2f | %.2f | %.2f | %s | %s | %s |" % (
            name, calls / 1e6, *ratios, *sizes, apart(sampled, full), apart(full, perf), apart(sampled, perf)), flush=True)


main()
