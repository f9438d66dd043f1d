#!/usr/bin/env python3
"""A service recorded for long: service.py FISQL [MINUTES [REQUESTS]]. nginx from Debian, as it is, with one worker, answers REQUESTS (1500)
requests a second for MINUTES (60) under `fisql record --rotate 64M,10`. Each log that is done is loaded; every minute the memory of nginx
and of its recorder is read. At the end: requests that the client was answered and calls of ngx_http_handler in all logs, which must be the
same number; losses; the logs that are left; the memory of the first and the last quarter. Needs nginx."""
import os
import re
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from attach import CONF, free_port, requests

CONNECTIONS = 8
SIZE, COUNT = "64M", 10


def memory_kib(pid):
    """What is the process's alone: what it shares with the other, the live area, is counted once, in the file system's memory."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return sum(int(number) for number in re.findall(r"^Private_\w+: +(\d+) kB", file.read(), re.M))


def mark(log):
    """Tells logs that are done from one another. The file system gives the number of one that was removed to another."""
    status = os.stat(log)
    return status.st_ino, status.st_mtime_ns


def answers(connection):
    """Sends a request and reads its answer. Whether it was the page."""
    connection.sendall(b"GET /index.html HTTP/1.1\r\nHost: x\r\n\r\n")
    got = b""
    while b"\r\n\r\n" not in got:
        more = connection.recv(65536)
        if not more:
            return False
        got += more
    head, body = got.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"Content-Length: (\d+)", head)[1])
    while len(body) < length:
        more = connection.recv(65536)
        if not more:
            return False
        body += more
    return head.startswith(b"HTTP/1.1 200")


def load(fisql, log, database, facts):
    """Adds what a log has to the sums."""
    done = subprocess.run([fisql, "load", "-q", "--calls=none", "-o", database, log], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        facts["refused"].append(f"{os.path.basename(log)}: exit status {done.returncode}: {done.stderr.strip()}")
    with sqlite3.connect(database) as connection:
        facts["calls"] += connection.execute("SELECT total(calls) FROM function_stats").fetchone()[0]
        facts["handled"] += connection.execute(
            "SELECT total(finished) FROM function_stats JOIN functions ON functions.id = function_id WHERE name = 'ngx_http_handler'").fetchone()[0]
        for reason, count in connection.execute("SELECT reason, count(*) FROM losses GROUP BY reason"):
            facts["losses"][reason] = facts["losses"].get(reason, 0) + count
    os.unlink(database)
    facts["logs"] += 1


class Client:
    def __init__(self, port, each_second):
        self.connections = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(CONNECTIONS)]
        self.each_second, self.answered, self.failed = each_second, 0, 0
        self.begun = time.monotonic()
        self.sent = 0

    def work(self):
        """Sends what is due by now, at most a tenth of a second's."""
        due = min(int((time.monotonic() - self.begun) * self.each_second) - self.sent, self.each_second // 10)
        for _ in range(due):
            if answers(self.connections[self.sent % CONNECTIONS]):
                self.answered += 1
            else:
                self.failed += 1
            self.sent += 1
            if self.sent % 900 == 0:  # nginx ends a connection after 1000 requests
                for number, connection in enumerate(self.connections):
                    address = connection.getpeername()
                    connection.close()
                    self.connections[number] = socket.create_connection(address, timeout=60)
        if due <= 0:
            time.sleep(0.001)


def service(fisql, folder, minutes, each_second):
    port = free_port()
    os.makedirs(folder + "/html")
    with open(folder + "/html/index.html", "w", encoding="ascii") as page:
        page.write("<p>" + "x" * 4000)
    with open(folder + "/nginx.conf", "w", encoding="ascii") as conf:
        conf.write(CONF.format(folder=folder, port=port))
    log = folder + "/run.bin"
    recorder = subprocess.Popen([fisql, "record", "--rotate", f"{SIZE},{COUNT}", "-o", log, "nginx", "-p", folder, "-c", folder + "/nginx.conf",
                                 "-e", folder + "/error.log"], stderr=subprocess.PIPE, text=True)
    for _ in range(200):
        try:
            requests(port)
            break
        except OSError:
            time.sleep(0.05)
    with open(folder + "/pid", encoding="ascii") as file:
        server = int(file.read())
    return recorder, server, port, log


def main():
    fisql = os.path.abspath(sys.argv[1])
    minutes, each_second = (int(number) for number in sys.argv[2:] + ["60", "1500"][len(sys.argv) - 2:])
    facts = {"calls": 0, "handled": 0, "losses": {}, "logs": 0, "refused": []}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        recorder, server, port, log = service(fisql, folder, minutes, each_second)
        client = Client(port, each_second)
        end, look, memories, seen = time.monotonic() + minutes * 60, time.monotonic(), [], set()
        while time.monotonic() < end:
            client.work()
            if time.monotonic() >= look:
                look += 60
                memories.append((memory_kib(server), memory_kib(recorder.pid)))
                for number in range(1, COUNT + 1):  # those that are done
                    done = f"{log}.{number}"
                    if os.path.exists(done) and mark(done) not in seen:
                        seen.add(mark(done))
                        load(fisql, done, folder + "/done.db", facts)
                print(f"# {len(memories) - 1} min: {client.answered} answers, nginx {memories[-1][0]} KiB, recorder {memories[-1][1]} KiB, "
                      f"{facts['logs']} logs done", flush=True)
        os.kill(server, signal.SIGTERM)
        said = recorder.communicate()[1].strip()
        left = sorted(os.listdir(folder))
        for name in left:
            if name.startswith("run.bin") and mark(folder + "/" + name) not in seen:
                load(fisql, folder + "/" + name, folder + "/done.db", facts)
        quarter = max(1, len(memories) // 4)
        print(f"{minutes} minutes: {client.answered} requests answered, {client.failed} failed; {facts['handled']:.0f} handled in {facts['logs']} logs, "
              f"{facts['handled'] - client.answered - 1:+.0f} but for the one that found it ready; {facts['calls']:.0f} calls; losses: {facts['losses'] or 'none'}")
        print("logs that were kept: " + " ".join(name for name in left if name.startswith("run.bin")))
        for number, name in enumerate(("nginx", "recorder")):
            first, last = (statistics.median(each[number] for each in part) for part in (memories[1:quarter + 1], memories[-quarter:]))
            print(f"{name}'s own memory: {first:.0f} KiB in the first quarter, {last:.0f} KiB in the last, at most {max(each[number] for each in memories)} KiB")
        print("\n".join(facts["refused"] + [said]))


if __name__ == "__main__":
    main()
