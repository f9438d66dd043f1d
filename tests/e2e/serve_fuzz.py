#!/usr/bin/env python3
"""Hostile requests to fisql serve, made from sound ones: serve_fuzz.py ADDRESS SECONDS SEED [CLIENTS].
Prints `ok - what` or `not ok - what`. The same seed sends the same requests, each client its own. `make asan` runs it under
sanitizers, `make fuzz-serve` for ten minutes, of sound and hostile databases."""
import json
import random
import socket
import sys
import threading
import time
from urllib.parse import quote, urlsplit

address, seconds, seed = urlsplit(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
token = address.query.removeprefix("token=")
clients = int(sys.argv[4]) if len(sys.argv) > 4 else 1
host = f"127.0.0.1:{address.port}"

PATHS = ["databases", "queries", "query/hot-functions", "query/not-freed", "query/waits-in-locks", "sql", "schema", "timeline", "marks", "tree", "live", "call/1", "call/77", "report",
         "functions", "source", "code", "compare", "range", "history", "nothing", ""]
PARAMETERS = ["db", "limit", "from", "to", "pixels", "thread", "threads", "parent", "match", "file", "function", "sort", "reverse", "demangle", "since",
              "until", "at", "least", "p.min_calls", "p.by", "p.", "p.x=y", "with", "seconds", "token", "all_code", "module", "call", "argument", "block", "last"]
VALUES = ["0", "0", "1", "1", "2", "3", "-1", "9223372036854775807", "9223372036854775808", "1e9", "", "x", "%00", "%ff%fe", "../../etc/passwd", "'; DROP TABLE calls", "--all",
          "-h", "a" * 3000, "\u202e", "1.5", "*", "[", "100", "4611686018427387903", "NULL", "10us"]
SQL = ["SELECT 1", "SELECT * FROM calls LIMIT 5", "DELETE FROM calls", "SELECT randomblob(100000000)", "SELECT * FROM pragma_table_info('calls')",
       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT * FROM n", "SELECT " + "(" * 500 + "1" + ")" * 500, "\0", "SELECT '\ud7ff'", "",
       "SELECT zeroblob(1000000000)", "SELECT printf('%.*c', 100000000, 'x')", "SELECT group_concat(hex(randomblob(1000))) FROM calls", "ATTACH 'x' AS y",
       "EXPLAIN SELECT 1", "PRAGMA integrity_check", "VALUES (1), (2)", "SELECT abs(-9223372036854775808)", "SELECT json('[')"]


def some_path(generator):
    path = "/api/" + generator.choice(PATHS)
    if generator.random() < 0.1:
        path = "".join(chr(generator.randrange(33, 127)) for _ in range(generator.randrange(1, 200)))
    parameters = "&".join(quote(generator.choice(PARAMETERS), safe="=.") + "=" + quote(generator.choice(VALUES), safe="%") for _ in range(generator.randrange(5)))
    return path + ("?" + parameters if parameters else "")


def some_request(generator):
    """(bytes, knows the token)"""
    method = generator.choice(["GET"] * 6 + ["POST"] * 4 + ["HEAD", "PUT", "OPTIONS", "\x7f", "G" * 500])
    body = b""
    path = some_path(generator)
    if method == "POST":
        path = generator.choice(["/api/sql", path])
        wish = {"sql": generator.choice(SQL), "limit": generator.choice([0, 1, 10, 100000, -1, "x", 1 << 70]), "seconds": generator.choice([1, 1, 1, 0, "y", 1e9])}
        body = generator.choice([json.dumps(wish), json.dumps(wish)[:generator.randrange(60)], "[" * 5000, json.dumps([wish])]).encode("utf-8", "replace")
    knows = generator.random() < 0.8
    lines = [f"{method} {path} HTTP/1.1", "Host: " + (host if generator.random() < 0.95 else generator.choice(["", "x", "[::1", "a" * 300, host + "0"]))]
    if knows:
        lines.append(f"Authorization: Bearer {token}")
    elif generator.random() < 0.5:
        lines.append(generator.choice(["Authorization: Bearer ", "Authorization: Bearer " + token[:-1], "Cookie: fisql-" + str(address.port) + "=" + "0" * 32, "Authorization: " + token]))
    if body:
        lines.append(f"Content-Length: {generator.choice([len(body)] * 8 + [0, 5, len(body) + 100])}")
    if generator.random() < 0.2:
        lines.append(generator.choice(["Range: bytes=0-", "Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: close", "X: " + "y" * 70000, ": empty", "Origin: null",
                                       "Cookie: " + "a=b; " * 400, "Content-Length: -1", "Accept-Encoding: gzip"]))
    request = ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace") + body
    if generator.random() < 0.2:
        request = bytearray(request)
        for _ in range(generator.randrange(1, 8)):
            request[generator.randrange(len(request))] = generator.randrange(256)
        request, knows = bytes(request), None
    return request, knows


def status_of(answer):
    parts = answer.split(b" ")
    return int(parts[1]) if len(parts) > 1 and parts[0].startswith(b"HTTP/") and parts[1][:3].isdigit() else None


def send(request, wait):
    """The answer's status; None: there is none"""
    client = socket.create_connection(("127.0.0.1", address.port), timeout=30)
    answer = b""
    try:
        client.sendall(request)
        if wait:
            answer = client.recv(64)
    except OSError:
        pass
    client.close()
    return status_of(answer)


def linger(generator, requests, held):
    """Several requests at once on one connection, of whose answers little is read; some such connections stay."""
    client = socket.socket()
    client.settimeout(5)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    try:
        client.connect(("127.0.0.1", address.port))
        client.sendall(b"".join(requests))
        client.recv(generator.randrange(1, 2000))
    except OSError:
        pass
    held.append(client)
    if len(held) > 5:
        held.pop(0).close()


class Client(threading.Thread):
    def __init__(self, number):
        super().__init__()
        self.generator = random.Random(seed * 1000 + number)
        self.sent, self.strangers, self.statuses, self.request, self.broken = 0, [], {}, b"", None

    def run(self):
        held = []
        try:
            while time.monotonic() < end or (self.sent < 40 and time.monotonic() < end + 200):
                self.one(held)
        except OSError as error:  # it listens no more
            self.broken = error
        for client in held:
            client.close()

    def one(self, held):
        generator = self.generator
        self.request, knows = some_request(generator)
        self.sent += 1
        if generator.random() < 0.03:
            linger(generator, [some_request(generator)[0] for _ in range(generator.randrange(1, 6))], held)
        status = send(self.request, wait=generator.random() < 0.85)
        self.statuses[status] = self.statuses.get(status, 0) + 1
        if knows is False and status == 200:
            self.strangers.append(self.request[:300])


end = time.monotonic() + seconds
running = [Client(number) for number in range(clients)]
for one in running:
    one.start()
for one in running:
    one.join()
sent = sum(one.sent for one in running)
statuses = {}
for one in running:
    for status, count in one.statuses.items():
        statuses[status] = statuses.get(status, 0) + count
strangers = [text for one in running for text in one.strangers]
try:
    last = send(f"GET /api/databases HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode(), True)
except OSError as error:
    last = error
print(("ok" if last == 200 else "not ok") + f" - hostile requests: the server goes on (seed {seed}, {sent} requests)")
if last != 200:
    for one in running:
        print(f"    {last}, {one.broken}, the last was {one.request[:300]!r}")
print(("ok" if not strangers else "not ok") + f" - hostile requests: nobody is answered without the token (seed {seed})")
if strangers:
    print(f"    {strangers[0]!r}")
print(("ok" if sent >= 20 and 200 in statuses and 400 in statuses else "not ok") + " - hostile requests: some are answered, some refused")
if not (sent >= 20 and 200 in statuses and 400 in statuses):
    print(f"    {sent} sent: {statuses}")
