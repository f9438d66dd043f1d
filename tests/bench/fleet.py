#!/usr/bin/env python3
"""make bench-fleet: many runs on two shards of ClickHouse on this machine. Real runs of Lua and zstd are resampled to 100,
1,000 and 10,000 runs of 2,000 functions and 20,000 contexts; timed are putting them in and each question. Prints
the section "Many runs" of docs/performance.md, and writes it there unless other numbers of runs were asked for. A
question that fails is told, and left out. Needs 15 GB on the disk of the temporary folder.

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
LEVELS = [100, 1000, 10000]
QUESTION_S, MERGES_S = 120, 120 # wait no longer
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

    def settle(self):
        """Waits until the servers have put together what came in."""
        end = time.monotonic() + MERGES_S
        while time.monotonic() < end and any(int(self.ask("SELECT count() FROM system.merges", port))
                                             for port in (self.http, self.http2)):
            time.sleep(0.5)

    def stop(self):
        for folder in ("first", "second"):
            os.kill(int(open("%s/%s/pid" % (work, folder)).read()), signal.SIGKILL)


def children_s():
    """Processor seconds of all commands that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fill(servers, first, count):
    """Through one client: rows, seconds, processor seconds of the client and of the servers."""
    before, client = servers.cpu(), children_s()
    out = subprocess.run([build + "/bench_fleet", servers.url, "real.db", str(first), str(count), str(FUNCTIONS),
                          str(CONTEXTS)], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return int(out[0]), float(out[1]), children_s() - client, servers.cpu() - before


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
        before, start, client = servers.cpu(), time.monotonic(), children_s()
        out = subprocess.run([fisql, "fleet", query, "--url", servers.url, "--format", "json"] + options(query, runs),
                             check=True, stdout=subprocess.PIPE, text=True, timeout=QUESTION_S).stdout
        walls.append(time.monotonic() - start)
        cpus.append(children_s() - client + servers.cpu() - before)
    return min(walls), min(cpus), len(json.loads(out))


def queries():
    return subprocess.run([fisql, "fleet", "--names"], check=True, capture_output=True, text=True).stdout.split()


def measure(servers, runs):
    asked = {}
    for query in queries():
        try:
            asked[query] = seconds(servers, query, runs)
        except (subprocess.SubprocessError, ValueError) as error:
            print("%d runs: %s failed: %s" % (runs, query, error), file=sys.stderr)
    return asked


def parts_bytes():
    """What a real run's packed database takes, on the average: the simulated runs have none."""
    return sqlite3.connect("real.db").execute("SELECT sum(length(bytes)) / count(DISTINCT run_id) FROM parts").fetchone()[0]


def took(question):
    return "%d (%d)" % (question[0] * 1e3, question[1] * 1e3) if question else "failed"


def questions_table(filled, asked):
    levels = sorted(asked)
    rate = lambda part: " | ".join(format(int(filled[level][0] / filled[level][part]), ",") for level in levels)
    lines = ["| | " + " | ".join("%s runs" % format(level, ",") for level in levels) + " |",
             "| --- | " + " | ".join("--:" for _ in levels) + " |",
             "| rows/s in | " + rate(1) + " |",
             "| rows in, a second of the client's processor time | " + rate(2) + " |",
             "| rows in, a second of the servers' | " + rate(3) + " |"]
    for query in queries():
        lines.append("| %s, ms | " % query + " | ".join(took(asked[level].get(query)) for level in levels) + " |")
    return lines


def sizes_table(sizes):
    lines = ["", "| table | rows | bytes on disk | a row |", "| --- | --: | --: | --: |"]
    for table, (rows, size) in sorted(sizes.items(), key=lambda item: -item[1][1]):
        if rows:
            lines.append("| %s | %s | %s | %.1f |" % (table, format(rows, ","), format(size, ","), size / rows))
    return lines


def bars_table(filled, asked, sizes):
    last = max(asked)
    contexts = sizes["contexts"]
    lines = ["", "| | bar | measured |", "| --- | --: | --: |",
             "| rows/s in through one client | at least 200,000 | %s |" % format(int(filled[last][0] / filled[last][1]), ","),
             "| bytes a context row on the servers' disks | at most 30 | %.1f |" % (contexts[1] / contexts[0])]
    if asked[last]:
        worst = max(asked[last].items(), key=lambda item: item[1][0])
        lines.append("| slowest question, %s runs (%s), s | at most 1 | %.2f |" % (format(last, ","), worst[0], worst[1][0]))
    return lines


def report(filled, asked, sizes):
    """filled: runs -> (rows, seconds, ...) that brought it to so many; asked: runs -> query -> (seconds, processor seconds, rows)."""
    last = max(asked)
    rows, size = sum(rows for rows, _ in sizes.values()), sum(size for _, size in sizes.values())
    return (["`make bench-fleet` (best of %d) on %s: two shards of ClickHouse 18.16 on this one machine; runs of %s functions "
             "and %s contexts, resampled from real runs of Lua and zstd, put in by one client. Questions by `fisql fleet`, its "
             "start and all rows included, when the servers have put together what came in; of all runs, but `regressions` (two builds of 1,000 runs, where there are so many, "
             "else two jobs of 64) and `imbalance` (a job of 64). In brackets: processor time of fisql and both servers."
             % (rounds, machine(), format(FUNCTIONS, ","), format(CONTEXTS, ",")), ""]
            + questions_table(filled, asked) + sizes_table(sizes) + bars_table(filled, asked, sizes)
            + ["", "A run takes %d rows and %.0f kB in these tables, and its packed database (`parts`), of which the simulated runs have none, "
               "some %.0f kB." % (rows / last, size / last / 1e3, parts_bytes() / 1e3)])


def main():
    levels = sorted({int(word) for word in sys.argv[3:]}) or LEVELS
    shell('fleet_runs 4 lua zstd; "$fisql" push -q real.db *.run.db; fleet_runs 1 wordstat')
    servers = Servers(shell("free_ports 6").split())
    try:
        filled, asked, there = {}, {}, 0
        for level in levels:
            try:
                filled[level], summed = fill(servers, there, level - there), fold(servers)
            except subprocess.SubprocessError as error:
                print("%d runs: %s" % (level, error), file=sys.stderr)
                break
            there = level
            print("%d runs: in %.1f s, summed up in %.1f s" % (level, filled[level][1], summed), file=sys.stderr)
            servers.settle()
            asked[level] = measure(servers, level)
        if not asked:
            sys.exit("fleet.py: no runs came in: nothing was measured")
        lines = report(filled, asked, servers.sizes())
    finally:
        servers.stop()
    print("\n".join(lines))
    if sorted(asked) == LEVELS:
        write_section("Many runs", lines)


if __name__ == "__main__":
    try:
        main()
    finally:
        os.chdir(root)
        shutil.rmtree(work, ignore_errors=True)
