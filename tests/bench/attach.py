#!/usr/bin/env python3
"""What attaching costs a server: attach.py FISQL [ROUNDS [SECONDS [CLIENTS]]]. FISQL may be `none`: nothing is attached, for the noise.
nginx from Debian with one worker answers CLIENTS (8) connections of wrk for SECONDS (60); in the middle, fisql record -p is attached to
the worker for 5 s. Prints, of each round and the median, the requests a second before, while it is attached and after, as nginx's own
counter has them, requests that failed, and calls found. Needs nginx and wrk."""
import os
import re
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ATTACHED_S = 5
CONF = """worker_processes 1;
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_body_temp_path {folder}/t; proxy_temp_path {folder}/t; fastcgi_temp_path {folder}/t; uwsgi_temp_path {folder}/t; scgi_temp_path {folder}/t;
  server {{ listen 127.0.0.1:{port}; root {folder}/html; location = /count {{ stub_status; }} }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def requests(port):
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/count", timeout=30).read().decode()
    return int(re.search(r"\n\s*\d+ \d+ (\d+)", text)[1])


def one(fisql, folder, seconds, clients):
    """(before, attached, after) in requests a second, failed requests, calls"""
    port = free_port()
    os.makedirs(folder + "/html")
    with open(folder + "/html/index.html", "w") as page:
        page.write("<p>" + "x" * 4000)
    with open(folder + "/nginx.conf", "w") as conf:
        conf.write(CONF.format(folder=folder, port=port))
    server = subprocess.Popen(["nginx", "-p", folder, "-c", folder + "/nginx.conf", "-e", folder + "/error.log"])
    for _ in range(100):
        try:
            requests(port)
            break
        except OSError:
            time.sleep(0.1)
    load = subprocess.Popen(["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", f"http://127.0.0.1:{port}/"], stdout=subprocess.PIPE, text=True)
    counts, done = [], threading.Event()

    def count():
        while not done.wait(0.5):
            counts.append((time.monotonic(), requests(port)))
    counter = threading.Thread(target=count)
    counter.start()
    time.sleep(seconds / 2 - ATTACHED_S / 2)
    begun = time.monotonic()
    if fisql is None:
        time.sleep(ATTACHED_S)
    else:
        recorded = subprocess.run([fisql, "record", "-q", "-p", str(server.pid), "--for", f"{ATTACHED_S}s", "-o", folder + "/run.bin"])
    ended = time.monotonic()
    said = load.communicate()[0]
    done.set()
    counter.join()
    server.terminate()
    server.wait()
    failed = sum(int(number) for number in re.findall(r"(?:Non-2xx or 3xx responses: |connect |read |write |timeout )(\d+)", said))
    if fisql is not None and (recorded.returncode != 0 or
                              subprocess.run([fisql, "load", "-q", "-o", folder + "/run.db", folder + "/run.bin"]).returncode > 1):
        raise SystemExit("the worker cannot be recorded")
    calls = 0 if fisql is None else sqlite3.connect(folder + "/run.db").execute("SELECT count(*) FROM calls").fetchone()[0]

    def rate(start, end):
        within = [each for each in counts if start <= each[0] <= end]
        return (within[-1][1] - within[0][1]) / (within[-1][0] - within[0][0])
    return rate(counts[0][0] + 2, begun - 0.5), rate(begun + 0.5, ended - 0.5), rate(ended + 0.5, counts[-1][0] - 1), failed, calls


def main():
    fisql = None if sys.argv[1] == "none" else os.path.abspath(sys.argv[1])
    rounds, seconds, clients = (int(number) for number in sys.argv[2:] + ["5", "60", "8"][len(sys.argv) - 2:])
    rows = []
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            rows.append(one(fisql, folder, seconds, clients))
        before, attached, after, failed, calls = rows[-1]
        print(f"round {number + 1}: {before:.0f} requests/s before, {attached:.0f} attached, {after:.0f} after ({after / before:.3f}); "
              f"{failed} failed; {calls} calls", flush=True)
    print(f"median of {rounds}: after / before {statistics.median(row[2] / row[0] for row in rows):.3f}, "
          f"attached / before {statistics.median(row[1] / row[0] for row in rows):.3f}; {sum(row[3] for row in rows)} requests failed")


if __name__ == "__main__":
    main()
