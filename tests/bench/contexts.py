#!/usr/bin/env python3
"""Part of make bench-load: loading and asking real programs with many contexts, where benchmarks that call
few functions in few ways tell little: a C compiler that compiles itself (10^5 contexts), initdb of
PostgreSQL (10^6), its server under a benchmark, and git. All are built of Debian's sources. Writes the
section "Many contexts" of docs/performance.md.

    tests/bench/contexts.py BUILD [ROUNDS [NAME...]]

With names only those programs are tried whose titles hold one, and the section stays."""
import os
import pwd
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from common import fisql, machine, rounds, run, source, work, write_section


def record_tcc():
    tcc = source("tcc", "tcc-*/", "bench")
    multiarch = subprocess.run(["gcc", "-print-multiarch"], check=True, capture_output=True, text=True).stdout.strip()
    os.mkdir("tcc.build")
    run([tcc + "/configure"], cwd="tcc.build")
    run([fisql, "cc", "gcc", "-O2", "-g", "-w", "-DONE_SOURCE=1", "-Itcc.build", "-I" + tcc, "-o", "tcc", tcc + "/tcc.c",
         "-lm", "-ldl", "-lpthread"])
    run([fisql, "record", "-q", "-o", "tcc.bin", "./tcc", "-c", "-w", "-DONE_SOURCE=1", "-Itcc.build", "-I" + tcc,
         "-I" + tcc + "/include", "-I/usr/include/" + multiarch, "-o", "tcc.o", tcc + "/tcc.c"])
    return "tcc.bin"


def record_initdb():
    postgres = source("postgresql-15", "postgresql-15-*/", "bench")
    os.mkdir("postgres.build")
    run([postgres + "/configure", "CC=%s cc gcc" % fisql, "CFLAGS=-O2 -g -w", "--prefix=%s/postgres" % work,
         "--without-readline", "--without-zlib", "--without-icu"], cwd="postgres.build")
    # A check greps libpq for a call of exit, and finds the hooks' names: it counts as done, and for long.
    stamp = "postgres.build/src/interfaces/libpq/libpq-refs-stamp"
    open(stamp, "w").close()
    os.utime(stamp, (time.time() + 86400,) * 2)
    # Without these first, what needs them is compiled at the same time, sometimes too early.
    for target in (["-C", "src/backend", "generated-headers"], [], ["install"]):
        run(["make", "-s", "-j%d" % os.cpu_count()] + target, cwd="postgres.build")
    os.mkdir("initdb")
    if os.getuid() == 0:
        os.chmod(work, 0o755)
        nobody = pwd.getpwnam("nobody")
        os.chown("initdb", nobody.pw_uid, nobody.pw_gid)
    run(not_root() + [fisql, "record", "-q", "-o", "initdb/initdb.bin", work + "/postgres/bin/initdb", "-D", work + "/initdb/data"])
    shutil.rmtree("postgres.build")
    return "initdb/initdb.bin"


def not_root():
    """What to put before a command of PostgreSQL's server, which refuses root."""
    return ["setpriv", "--reuid=nobody", "--clear-groups", "env", "HOME=%s/initdb" % work] if os.getuid() == 0 else []


def record_server():
    """The server that initdb has set up, with 8 clients beside one another, 1000 transactions each."""
    programs, data = work + "/postgres/bin/", work + "/initdb/data"
    server = subprocess.Popen(not_root() + [fisql, "record", "-q", "-o", "initdb/server.bin", programs + "postgres", "-D", data, "-k",
                                            work + "/initdb", "-c", "listen_addresses="], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    for _ in range(600):
        if subprocess.run([programs + "pg_isready", "-q", "-h", work + "/initdb"], check=False).returncode == 0:
            break
        time.sleep(0.1)
    for arguments in (["-i", "-q"], ["-c", "8", "-t", "1000"]):
        run(not_root() + [programs + "pgbench", "-h", work + "/initdb"] + arguments + ["postgres"])
    with open(data + "/postmaster.pid", encoding="ascii") as file:
        os.kill(int(file.readline()), signal.SIGINT)
    if server.wait() != 0:
        raise SystemExit("postgres: exit status %d" % server.returncode)
    shutil.rmtree(data)
    return "initdb/server.bin"


def record_git():
    """git shows the changes of 40 commits, and looks for what was moved and copied."""
    shutil.copytree(source("git", "git-*/", "bench"), "git.build")
    run(["make", "-s", "-j%d" % os.cpu_count(), "CC=%s cc gcc" % fisql, "CFLAGS=-O2 -g -w", "git"] + [
        "NO_%s=1" % what for what in ("TCLTK", "GETTEXT", "OPENSSL", "CURL", "EXPAT", "PERL", "PYTHON")], cwd="git.build")
    git = [work + "/git.build/git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-C", "repository"]
    shutil.copytree(source("tcc", "tcc-*/", "bench"), "repository", ignore=shutil.ignore_patterns(".*"))
    run(git + ["init", "-q"])
    for number in range(40):
        for name in sorted(os.listdir("repository")):
            if name.endswith(".c"):
                with open("repository/" + name, encoding="latin-1") as file:
                    lines = file.readlines()
                lines[number::97] = ["/* %d */ %s" % (number, line) for line in lines[number::97]]
                with open("repository/" + name, "w", encoding="latin-1") as file:
                    file.writelines(lines)
        run(git + ["add", "-A"])
        run(git + ["commit", "-q", "-m", "Change %d" % number])
    run([fisql, "record", "-q", "-o", "git.bin"] + git + ["log", "-p", "--stat", "-M", "-C"])
    shutil.rmtree("git.build")
    shutil.rmtree("repository")
    return "git.bin"


def resources(command):
    """Wall seconds, CPU seconds and peak megabytes of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit("%s: exit status %d" % (" ".join(command), process.returncode))
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def queries():
    """Seconds of each query that scans no calls, the slowest first."""
    found = []
    for name in subprocess.run([fisql, "query", "--names"], check=True, capture_output=True, text=True).stdout.split():
        text = subprocess.run([fisql, "query", name, "--explain"], check=True, capture_output=True, text=True).stdout
        if not re.search(r"\b(FROM|JOIN) calls\b", text):
            command = [fisql, "query", name, "run.db", "--format", "csv"]
            found.append((min(resources(command)[0] for _ in range(rounds)), name))
    return sorted(found, reverse=True)


rows, slowest = [], []
named = sys.argv[3:]
for title, record, query_bar in (("tcc compiling itself", record_tcc, 0.1), ("git log -p -M -C", record_git, 0.1),
                                 ("initdb, 6 processes", record_initdb, 0.5), ("its server with 8 clients", record_server, 0.5)):
    if named and not any(name in title for name in named):
        continue
    log = record()
    loads = {1: [], 2: []}
    for _ in range(rounds):
        for threads, samples in loads.items():
            if os.path.exists("run.db"):
                os.unlink("run.db")  # to free its pages takes as long as a tenth of the compiler's load
            one_core = ["taskset", "-c", "0"] if threads == 1 else []
            samples.append(resources(one_core + [fisql, "load", "-q", "--threads", str(threads), "-o", "run.db", log]))
    calls, contexts = sqlite3.connect("run.db").execute(
        "SELECT (SELECT sum(calls) FROM threads), (SELECT count(*) FROM frames)").fetchone()
    one, two = (min(s[0] for s in loads[threads]) for threads in loads)
    asked = queries()
    report = min(resources([fisql, "report", "run.db", "-o", "report.html"])[0] for _ in range(rounds))
    rows.append("| %s | %.1f | %d | %.1f | %.1f | %.2f | %.0f | %s %.0f | %.1f |" % (
        title, calls / 1e6, contexts, calls / one / 1e6, calls / min(s[1] for s in loads[1]) / 1e6, one / two,
        max(s[2] for samples in loads.values() for s in samples), asked[0][1], asked[0][0] * 1e3, report))
    slow = ["%s (%.0f)" % (name, s * 1e3) for s, name in asked if s > query_bar]
    slowest.append("%s, more than %.0f ms: %s." % (title, query_bar * 1e3, ", ".join(slow) or "none"))
    print(rows[-1], flush=True)
    os.unlink(log)

lines = ["Part of `make bench-load` (best of %d) on %s: programs that take many ways. Bars: 8 million calls/s of a core and 1.5 "
         "times that on two (no older database in the way), 512 MiB, 5 s for a report; 100 ms for a query that scans no "
         "calls at 10^5 contexts, 500 ms at 10^6." % (rounds, machine()), "",
         "| | million calls | contexts | million calls/s, one core | by processor time | two cores, times as fast | peak MiB | "
         "slowest such query, ms | report, s |",
         "| --- | --: | --: | --: | --: | --: | --: | --- | --: |"] + rows + [""] + slowest
print("\n".join(lines))
if not named:
    write_section("Many contexts", lines)
