#!/usr/bin/env python3
"""What recording costs programs of the distribution as they are: servers.py FISQL [ROUNDS [git|nginx|postgres|pgbench8...]].

Each round runs every way in turn. git: `git log -p -60` of a repository of its own, processor time. nginx: one worker, 8 connections of wrk
for 6 s, requests a second. postgres: `pgbench -S -c 2 -j 1`, transactions a second. Ways: plain; record; record --library-calls; and for
postgres record --budget 10%, after as many transactions as it takes to leave out what costs most. pgbench8: `pgbench -c 8 -j 2` for 8 s, plain and
with each --time. Prints the medians, and the median of
each round's ratios. Needs git, nginx, wrk, postgresql."""
import glob
import os
import pwd
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from attach import CONF, free_port, requests

WAYS = {"plain": None, "record": [], "record --library-calls": ["--library-calls"], "record --budget 10%": ["--budget", "10%"],
        "record --time sampled": ["--time", "sampled"], "record --time none": ["--time", "none"]}


def wait_until(ready, what):
    for _ in range(600):
        if ready():
            return
        time.sleep(0.05)
    raise SystemExit(what + " does not begin")


class Git:
    unit = "s of processor time"
    ways = list(WAYS)[:3]

    def __init__(self, folder):
        self.folder = folder
        git = ["git", "-C", folder, "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
        subprocess.run(git + ["init", "-q"], check=True)
        lines = [f"int function_{number}(int n) {{ return n * {number} + {number % 97}; }}\n" for number in range(6000)]
        for commit in range(60):
            for number in range(commit, len(lines), 61):
                lines[number] = f"/* {commit} */ {lines[number]}"
            with open(folder + "/source.c", "w", encoding="ascii") as file:
                file.writelines(lines)
            subprocess.run(git + ["add", "-A"], check=True)
            subprocess.run(git + ["commit", "-q", "-m", f"Change {commit}"], check=True)

    def run(self, prefix, _way):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(prefix + ["git", "-C", self.folder, "log", "-p", "-60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Nginx:
    unit = "requests a second"
    ways = list(WAYS)[:3]

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder + "/html")
        with open(folder + "/html/index.html", "w", encoding="ascii") as page:
            page.write("<p>" + "x" * 4000)

    def run(self, prefix, _way):
        port = free_port()
        with open(self.folder + "/nginx.conf", "w", encoding="ascii") as conf:
            conf.write(CONF.format(folder=self.folder, port=port))
        server = subprocess.Popen(prefix + ["nginx", "-p", self.folder, "-c", self.folder + "/nginx.conf", "-e", self.folder + "/error.log"],
                                  stderr=subprocess.DEVNULL)

        def ready():
            try:
                return requests(port) > 0
            except OSError:
                return False
        wait_until(ready, "nginx")
        said = subprocess.run(["wrk", "-t1", "-c8", "-d6s", f"http://127.0.0.1:{port}/"], stdout=subprocess.PIPE, text=True, check=True).stdout
        with open(self.folder + "/pid", encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGTERM)
        server.wait()
        return float(re.search(r"Requests/sec:\s*([0-9.]+)", said)[1])


class Postgres:
    unit = "transactions a second"
    ways = list(WAYS)[:4]

    def __init__(self, folder):
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin/"))[-1]
        self.folder, self.data = folder, folder + "/data"
        self.user = []
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            self.user = ["setpriv", "--reuid=nobody", "--clear-groups", "env", "HOME=" + folder]
        subprocess.run(self.user + [self.programs + "initdb", "-D", self.data], stdout=subprocess.DEVNULL, check=True)
        server = self.begin([])
        self.bench("-i", "-q")
        self.finish(server)

    def begin(self, prefix):
        server = subprocess.Popen(self.user + prefix + [self.programs + "postgres", "-D", self.data, "-k", self.folder, "-c", "listen_addresses="],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: subprocess.run([self.programs + "pg_isready", "-q", "-h", self.folder], check=False).returncode == 0, "postgres")
        return server

    def finish(self, server):
        with open(self.data + "/postmaster.pid", encoding="ascii") as file:
            os.kill(int(file.readline()), signal.SIGINT)
        server.wait()

    def bench(self, *arguments):
        return subprocess.run(self.user + ["pgbench", "-h", self.folder, *arguments, "postgres"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True).stdout

    def run(self, prefix, way):
        server = self.begin(prefix)
        few = way in ("record", "record --library-calls")
        self.bench("-S", "-c", "2", "-j", "1", "-t", "500" if few else "20000")
        said = self.bench("-S", "-c", "2", "-j", "1", "-t", "4000" if few else "20000")
        self.finish(server)
        return float(re.search(r"tps = ([0-9.]+) \(without", said)[1])


class Pgbench8(Postgres):
    ways = ["plain", "record", "record --time sampled", "record --time none"]

    def run(self, prefix, _way):
        server = self.begin(prefix)
        self.bench("-c", "8", "-j", "2", "-T", "2")
        said = self.bench("-c", "8", "-j", "2", "-T", "8")
        self.finish(server)
        return float(re.search(r"tps = ([0-9.]+) \(without", said)[1])


def measure(fisql, name, program, rounds):
    results = {way: [] for way in program.ways}
    for number in range(rounds):
        for way in program.ways:
            log = program.folder + "/run.bin"
            prefix = [] if WAYS[way] is None else [fisql, "record", "-q", "-o", log, *WAYS[way]]
            results[way].append(program.run(prefix, way))
            if os.path.exists(log):
                os.unlink(log)
        print(f"# {name}, round {number + 1}: " + ", ".join(f"{way} {results[way][-1]:.4g}" for way in program.ways), flush=True)
    for way in program.ways:
        against = "record" if way == "record --library-calls" else "plain"
        ratio = statistics.median(a / b for a, b in zip(results[way], results[against]))
        print(f"| {name} | {way} | {statistics.median(results[way]):.4g} {program.unit} | {ratio:.3f} of {against} |", flush=True)


def main():
    fisql, rounds = os.path.abspath(sys.argv[1]), int((sys.argv[2:] + ["5"])[0])
    programs = {"git": Git, "nginx": Nginx, "postgres": Postgres, "pgbench8": Pgbench8}
    for name in sys.argv[3:] or programs:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            measure(fisql, name, programs[name](folder), rounds)


main()
