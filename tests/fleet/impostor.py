#!/usr/bin/env python3
"""Servers that are none, or mean harm: impostor.py FOLDER

Listens on a free port of loopback, which it writes to FOLDER/port. What it answers is the database of the URL:
a name of KINDS. SQL that it tries to have run would write FOLDER/made."""
import gzip, os, re, socketserver, sys, time, urllib.parse

folder = sys.argv[1]
made = os.path.join(folder, "made")
SQL = "x\" INTEGER); ATTACH '%s' AS p; CREATE TABLE p.t(x TEXT); INSERT INTO p.t VALUES('line'); --" % made
OK = b"HTTP/1.1 200 OK\r\n"
RUNS = ("run_id run pushed recorded program host build command functions called contexts calls self_cpu_ns allocs "
        "alloc_bytes not_freed_blocks not_freed_bytes losses has_calls parts database_bytes").split()
TEXT = {"run", "program", "host", "build", "command"}


def whole(*lines):
    return said(("\n".join(lines) + "\n").encode())


def said(body):
    return OK + b"Content-Length: %d\r\n\r\n" % len(body) + body


def run_of(parts, size):
    """The table runs with one run, in so many parts that make so many bytes."""
    values = {"run_id": 1, "run": "abcdef0123456789", "parts": parts, "database_bytes": size}
    return whole("\t".join(RUNS), "\t".join("String" if name in TEXT else "Int64" for name in RUNS),
                 "\t".join(str(values.get(name, "x" if name in TEXT else 0)) for name in RUNS))


def repeat(send, first, piece, pause=0):
    send(first)
    while True:
        send(piece)
        time.sleep(pause)


def stay(send, first):
    send(first)
    time.sleep(3600)


LINES = b"newest\nInt64\n"
EXCEPTION = b"Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED) (version 25.8.1.1)\n"
BOMB = gzip.compress(bytes(64 << 20))
KINDS = {
    "sql_in_names": lambda send: send(whole(SQL, "String", "row")),
    "other_names": lambda send: send(whole("oldest", "Int64", "2")),
    "more_names": lambda send: send(whole("newest\tmore", "Int64\tInt64", "2\t2")),
    "nul_in_names": lambda send: send(whole("newest\\0", "Int64", "2")),
    "endless_body": lambda send: repeat(send, OK + b"\r\n" + LINES, b"x" * 65536),
    "endless_rows": lambda send: repeat(send, OK + b"\r\n" + LINES, b"2\n" * 32768),
    "endless_chunks": lambda send: repeat(send, OK + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65536 + b"\r\n"),
    "trickling_chunks": lambda send: repeat(send, OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", 0.2),
    "many_columns": lambda send: repeat(send, OK + b"\r\n", b"\t" * 65535 + b"\n"),
    "endless_headers": lambda send: repeat(send, OK, b"X-More: x\r\n" * 4096),
    "endless_header": lambda send: repeat(send, OK + b"X-More: ", b"x" * 65536),
    "endless_100": lambda send: repeat(send, b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1024),
    "trickling_body": lambda send: repeat(send, OK + b"\r\n", b"x", 0.2),
    "trickling_headers": lambda send: repeat(send, OK, b"X: x\r\n", 0.2),
    "silent": lambda send: stay(send, b""),
    "stalled_in_headers": lambda send: stay(send, OK),
    "stalled_after_headers": lambda send: stay(send, OK + b"\r\n"),
    "huge_length": lambda send: stay(send, OK + b"Content-Length: 9000000000000000000\r\n\r\n" + LINES),
    "endless_error": lambda send: repeat(send, b"HTTP/1.1 500 Error\r\n\r\n", b"Code: 60. x " * 4096),
    "redirect_to_file": lambda send: send(b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"),
    "redirect_to_itself": lambda send: send(b"HTTP/1.1 307 Again\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"),
    "packed": lambda send: send(OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB) + BOMB),
    "no_http": lambda send: repeat(send, b"", b"\x00\xff" * 32768),
    "closed": lambda send: None,
    "cut_off": lambda send: send(OK + b"Content-Length: 1000\r\n\r\n" + LINES),
    "exception_after_200": lambda send: send(OK + b"X-ClickHouse-Exception-Code: 241\r\n" + whole("newest", "Int64", "2")[len(OK):]),
    # The first question, for the version, is answered well.
    "later_huge_line": lambda send: repeat(send, OK + b"\r\n", b"x" * 65536),
    "later_sql_in_names": lambda send: send(whole("\t".join([SQL] + RUNS[1:]), "\t".join(["Int64"] * len(RUNS)))),
    "later_endless_parts": lambda send: send(run_of(2**62, 2**62)),
    "later_huge_database": lambda send: send(run_of(1, 2**62)),
    "later_endless_part": lambda send: send(run_of(1, 1000)),
    # All is answered well but an INSERT: it fails after the status 200 was sent.
    "failing_insert": lambda send: send(said(EXCEPTION)),
    "failing_insert_behind_much": lambda send: send(said(b"\n" * 100001 + EXCEPTION)),
    "failing_insert_marked": lambda send: send(said(b"\r\n__exception__\r\nabcdefghijklmnop\r\n" + EXCEPTION + b"\r\n73 abcdefghijklmnop\r\n__exception__\r\n")),
    "failing_insert_cut_off": lambda send: send(OK + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(EXCEPTION) + EXCEPTION),
}


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        try:
            while True:
                head = b""
                while b"\r\n\r\n" not in head:
                    piece = self.request.recv(65536)
                    if not piece:
                        return
                    head += piece
                head, body = head.split(b"\r\n\r\n", 1)
                length = int(re.search(rb"content-length: *(\d+)", head.lower()).group(1))
                while len(body) < length:
                    body += self.request.recv(65536)
                asked = urllib.parse.parse_qs(head.split()[1].decode().split("?", 1)[1])
                kind = asked.get("database", [""])[0]
                body += "".join(asked.get("query", [])).encode()  # where tables are sent along
                insert = body.endswith(b"RowBinary")
                if body.startswith(b"CREATE"):
                    self.request.sendall(said(b""))
                elif kind.startswith("failing") and b"FROM runs" in body and not insert:
                    self.request.sendall(whole("\t".join(RUNS), "\t".join("String" if name in TEXT else "Int64" for name in RUNS)))
                elif kind.startswith(("later", "failing")) and b"fleet_version" in body:
                    self.request.sendall(whole("newest", "Int64", "2"))
                elif kind.startswith("later") and b"FROM batches" in body:
                    self.request.sendall(whole("batch_id\trun_id\truns", "Int64\tInt64\tInt64"))
                elif kind.startswith("later") and b"FROM labels" in body:
                    self.request.sendall(whole("run_id\tkey\tvalue", "Int64\tString\tString"))
                elif kind == "later_endless_part" and b"FROM parts" in body:
                    repeat(self.request.sendall, OK + b"\r\nbytes\nString\n", b"x" * 65536)
                else:
                    KINDS[kind](self.request.sendall)
                    if kind.startswith("later"):
                        continue
                    return
        except OSError:
            pass


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


if folder == "--kinds":
    print(*KINDS)
    sys.exit()
server = Server(("127.0.0.1", 0), Connection)
with open(os.path.join(folder, "port.new"), "w") as port:
    port.write("%d\n" % server.server_address[1])
os.rename(os.path.join(folder, "port.new"), os.path.join(folder, "port"))
server.serve_forever()
