#!/usr/bin/env python3
"""How long fisql serve takes to answer windows of the timeline: serve.py FISQL DATABASE [--busy N] [--windows N].
Prints the time of the first picture (from the start of the server), the median and the worst of random windows, each
timed by a client on one connection, and the server's memory. --busy: so many loops run beside it."""
import argparse
import http.client
import json
import multiprocessing
import random
import statistics
import subprocess
import time
from urllib.parse import urlsplit


def spin():
    while True:
        pass


def ask(connection, token, path):
    begun = time.monotonic()
    connection.request("GET", path, headers={"Authorization": "Bearer " + token})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status}: {text[:300]!r}")
    return 1000 * (time.monotonic() - begun), text


def resident_mib(pid, what):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(what))


parser = argparse.ArgumentParser()
parser.add_argument("fisql")
parser.add_argument("database")
parser.add_argument("--busy", type=int, default=0)
parser.add_argument("--windows", type=int, default=200)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
loops = [multiprocessing.Process(target=spin, daemon=True) for _ in range(options.busy)]
for loop in loops:
    loop.start()
begun = time.monotonic()
server = subprocess.Popen([options.fisql, "serve", options.database], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
address = urlsplit(server.stdout.readline().strip())
token = address.query.removeprefix("token=")
connection = http.client.HTTPConnection(address.hostname, address.port)
_, text = ask(connection, token, "/api/timeline?pixels=1400")
first_ms = 1000 * (time.monotonic() - begun)
end = json.loads(text)["to"]
generator = random.Random(options.seed)
took, bytes_sent, whole = [], [], 0
for _ in range(options.windows):
    length = int(end ** generator.uniform(0.3, 1)) + 1
    start = generator.randrange(max(1, end - length))
    ms, text = ask(connection, token, f"/api/timeline?from={start}&to={start + length}&pixels=1400")
    took.append(ms)
    bytes_sent.append(len(text))
    whole += all(lane["whole"] for lane in json.loads(text)["threads"])
report_ms, text = ask(connection, token, "/api/report?seconds=600")
print(f"first picture {first_ms:.0f} ms; {options.windows} windows: median {statistics.median(took):.1f} ms, worst {max(took):.1f} ms, "
      f"{whole} whole; answers of {statistics.median(bytes_sent) / 1024:.0f} KiB, at most {max(bytes_sent) / 1024:.0f} KiB; "
      f"memory {resident_mib(server.pid, 'VmRSS'):.0f} MiB, at most {resident_mib(server.pid, 'VmHWM'):.0f} MiB; "
      f"the page's data {report_ms:.0f} ms, {len(text) / 1024:.0f} KiB")
server.terminate()
server.wait()
for loop in loops:
    loop.terminate()
