#!/usr/bin/env python3
"""Load on a server on the loopback interface: threads that ask for files, each on a connection of its own, until they
are stopped. Prints how many requests there were, how many were answered right, and the first wrong answers.

usage: load.py PORT FOLDER STOP THREADS LIMIT    FOLDER/a, b, c: what the server serves; it stops when STOP is there,
                                                 or after LIMIT requests of each thread
"""
import os
import socket
import sys
import threading
import time

port, folder, stop, threads, limit = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
files = {name: open(os.path.join(folder, name), "rb").read() for name in "abc"}
# One that is not there: (path, status, body or None)
asked = [("/" + name, b"200", body) for name, body in files.items()] + [("/none", b"404", None)]
counts, wrong, lock = [0, 0], [], threading.Lock()


def answer(path):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as server:
        server.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % path.encode())
        parts = []
        while part := server.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def ask(number):
    for i in range(limit):
        if os.path.exists(stop):
            return
        path, status, body = asked[(i + number) % len(asked)]
        try:
            head, _, got = answer(path).partition(b"\r\n\r\n")
            problem = None if head.split(b" ")[1:2] == [status] and body in (None, got) else repr(head[:80])
        except OSError as error:
            problem = str(error)
        with lock:
            counts[0] += 1
            counts[1] += problem is None
            if problem is not None:
                wrong.append(f"{path}: {problem}")
        time.sleep(0.001)


workers = [threading.Thread(target=ask, args=(number,)) for number in range(threads)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print(counts[0], counts[1])
print("\n".join(wrong[:10]), file=sys.stderr)
