#!/usr/bin/env python3
"""make bench-fleet: many runs on two shards of ClickHouse on this machine. Real runs of Lua and zstd are resampled to 100,
1,000 and 10,000 runs of 2,000 functions and 20,000 contexts; timed are putting them in and each question. Writes
the section "Many runs" of docs/performance.md. Needs 15 GB on the disk of the temporary folder.

    tests/bench/fleet.py BUILD [ROUNDS [RUNS...]]"""
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request

from common import build, fisql, machine, root, rounds, work, write_section

FUNCTIONS, CONTEXTS = 2000, 20000
PASSWORD = "secret"
os.environ["CLICKHOUSE_PASSWORD"] = PASSWORD


def shell(script):
    """A script with the functions that the tests of many runs share."""
    sources = ["tests/e2e/lib.sh", "tests/fleet/clickhouse.sh", "tests/fleet/runs.sh"]
    text = "".join(". %s/%s\n" % (root, name) for name in sources) + 'cd "$TEST_TMP"\n' + script
    return subprocess.run(["bash", "-c", text], check=True, capture_output=True, text=True,
                          env=dict(os.environ, TEST_TMP=work, FISQL_BUILD=build)).stdout


class Servers:
    """Two shards, and the database `many` over them."""

    def __init__(self, ports):
        self.http, tcp, inter, self.http2, tcp2, inter2 = ports
        self.url = "http://127.0.0.1:%s/many" % self.http
        # Their output goes to files, and they stay when the shell ends.
        shell("clickhouse_start $PWD/first %s; clickhouse_start $PWD/second %s; clickhouse_ready %s; clickhouse_ready %s"
              % (" ".join((self.http, tcp, inter, tcp, tcp2)), " ".join((self.http2, tcp2, inter2, tcp, tcp2)),
                 self.http, self.http2))
        for port in (self.http2, self.http):
            subprocess.run([fisql, "push", "--cluster", "two", "http://127.0.0.1:%s/many" % port], check=True)

    def ask(self, sql, port=None):
        url = "http://127.0.0.1:%s/?database=many&user=default&password=%s" % (port or self.http, PASSWORD)
        return urllib.request.urlopen(url, sql.encode(), timeout=600).read().decode()

    def sizes(self):
        """Rows and bytes on disk of each table, on both shards."""
        found = {}
        for port in (self.http, self.http2):
            for line in self.ask("SELECT table, sum(rows), sum(bytes_on_disk) FROM system.parts"
                                 " WHERE active AND database = 'many' GROUP BY table", port).splitlines():
                table, rows, size = line.split("\t")
                old = found.get(table, (0, 0))
                found[table] = old[0] + int(rows), old[1] + int(size)
        return {table.removesuffix("_local"): sizes for table, sizes in found.items()}

    def cpu(self):
        """Processor seconds of both so far."""
        ticks = 0
        for folder in ("first", "second"):
            fields = open("/proc/%s/stat" % open("%s/%s/pid" % (work, folder)).read().strip()).read().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self):
        for folder in ("first", "second"):
            os.kill(int(open("%s/%s/pid" % (work, folder)).read()), signal.SIGKILL)


def fill(servers, first, count):
    """Rows a second in, through one client."""
    out = subprocess.run([build + "/bench_fleet", servers.url, "real.db", str(first), str(count), str(FUNCTIONS),
                          str(CONTEXTS)], check=True, capture_output=True, text=True).stdout.split()
    return int(out[0]), float(out[1])


def fold(servers):
    """One more push, of a real run, sums up all that are in no batch. (A run in none costs reading run_id of all rows.)"""
    start = time.monotonic()
    subprocess.run([fisql, "push", "-q", "--fold", "1", "--cluster", "two", servers.url, "wordstat.1.run.db"], check=True)
    return time.monotonic() - start


def options(query, runs):
    """The two sets: two builds of 1,000 runs each where there are so many, else two jobs."""
    if query == "regressions":
        key = "version" if runs >= 2000 else "job"
        return ["-p", "before=%s=0" % key, "-p", "after=%s=1" % key]
    return {"trend": ["-p", "by=version"], "imbalance": ["-p", "runs=job=1"]}.get(query, [])


def seconds(servers, query, runs):
    """Best wall time, least processor time of the client and the servers, rows."""
    walls, cpus = [], []
    for _ in range(rounds):
        before, start = servers.cpu(), time.monotonic()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = subprocess.run([fisql, "fleet", query, "--url", servers.url, "--format", "json"] + options(query, runs),
                             check=True, capture_output=True, text=True).stdout
        walls.append(time.monotonic() - start)
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpus.append(now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime + servers.cpu() - before)
    return min(walls), min(cpus), len(json.loads(out))


def queries():
    return subprocess.run([fisql, "fleet", "--names"], check=True, capture_output=True, text=True).stdout.split()


def measure(servers, runs):
    return {query: seconds(servers, query, runs) for query in queries()}


def parts_bytes():
    """What a real run's packed database takes, on the average: the simulated runs have none."""
    return sqlite3.connect("real.db").execute("SELECT sum(length(bytes)) / count(DISTINCT run_id) FROM parts").fetchone()[0]


def report(filled, asked, sizes):
    """filled: runs -> (rows, seconds) that brought it to so many; asked: runs -> query -> (seconds, rows)."""
    levels = sorted(asked)
    rows, size = sum(rows for rows, _ in sizes.values()), sum(size for _, size in sizes.values())
    contexts = sizes["contexts"]
    lines = ["`make bench-fleet` (best of %d) on %s: two shards of ClickHouse 18.16 on this one machine; runs of %s functions "
             "and %s contexts, resampled from real runs of Lua and zstd, put in by one client. Questions by `fisql fleet`, its "
             "start and all rows included; of all runs, but `regressions` (two builds of 1,000 runs, where there are so many, "
             "else two jobs of 64) and `imbalance` (a job of 64). In brackets: processor time of fisql and both servers."
             % (rounds, machine(), format(FUNCTIONS, ","), format(CONTEXTS, ",")), "",
             "| | " + " | ".join("%s runs" % format(level, ",") for level in levels) + " |",
             "| --- | " + " | ".join("--:" for _ in levels) + " |",
             "| rows/s in | " + " | ".join(format(int(filled[level][0] / filled[level][1]), ",") for level in levels) + " |"]
    for query in sorted(asked[levels[-1]]):
        lines.append("| %s, ms | " % query + " | ".join("%d (%d)" % tuple(took * 1e3 for took in asked[level][query][:2]) for level in levels) + " |")
    lines += ["", "| table | rows | bytes on disk | a row |", "| --- | --: | --: | --: |"]
    for table, (table_rows, table_size) in sorted(sizes.items(), key=lambda item: -item[1][1]):
        if table_rows:
            lines.append("| %s | %s | %s | %.1f |" % (table, format(table_rows, ","), format(table_size, ","), table_size / table_rows))
    worst = max(asked[levels[-1]].items(), key=lambda item: item[1][0])
    lines += ["", "| | bar | measured |", "| --- | --: | --: |",
              "| rows/s in through one client | at least 200,000 | %s |" % format(int(filled[levels[-1]][0] / filled[levels[-1]][1]), ","),
              "| bytes a context row on the servers' disks | at most 30 | %.1f |" % (contexts[1] / contexts[0]),
              "| slowest question, %s runs (%s), s | at most 1 | %.2f |" % (format(levels[-1], ","), worst[0], worst[1][0])]
    run_bytes, run_parts = size / levels[-1], parts_bytes()
    lines += ["", "A run takes %d rows and %.0f kB in these tables, and its packed database (`parts`), of which the simulated runs have none, "
              "some %.0f kB." % (rows / levels[-1], run_bytes / 1e3, run_parts / 1e3)]
    return lines


def main():
    levels = [int(word) for word in sys.argv[3:]] or [100, 1000, 10000]
    shell('fleet_runs 4 lua zstd; "$fisql" push -q real.db *.run.db; fleet_runs 1 wordstat')
    servers = Servers(shell("free_ports 6").split())
    try:
        filled, asked, there = {}, {}, 0
        for level in levels:
            filled[level] = fill(servers, there, level - there)
            there = level
            print("%d runs: in %.1f s, summed up in %.1f s" % (level, filled[level][1], fold(servers)), file=sys.stderr)
            asked[level] = measure(servers, level)
        lines = report(filled, asked, servers.sizes())
    finally:
        servers.stop()
    print("\n".join(lines))
    write_section("Many runs", lines)


if __name__ == "__main__":
    try:
        main()
    finally:
        os.chdir(root)
        shutil.rmtree(work, ignore_errors=True)
