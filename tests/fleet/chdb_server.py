#!/usr/bin/env python3
"""ClickHouse of today, as libchdb has it, behind the part of ClickHouse's HTTP interface that fisql speaks.

    chdb_server.py LIBCHDB FOLDER PORT

The library runs SQL and has no server. One request is answered after another. As the server does, it takes the query
from the URL or from the body, the rest of an INSERT from the body, tables from the parts of a multipart body, settings
from the URL, and answers an exception with status 500 and its text. Users and passwords it does not look at."""
import ctypes, gzip, http.server, os, re, sys, urllib.parse

library, folder, port = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3])
chdb = ctypes.CDLL(library)
for name, result, arguments in (
    ("chdb_connect", ctypes.POINTER(ctypes.c_void_p), (ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))),
    ("chdb_query_n", ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)),
    ("chdb_result_buffer", ctypes.c_void_p, (ctypes.c_void_p,)),
    ("chdb_result_length", ctypes.c_size_t, (ctypes.c_void_p,)),
    ("chdb_result_error", ctypes.c_char_p, (ctypes.c_void_p,)),
    ("chdb_destroy_query_result", None, (ctypes.c_void_p,)),
):
    function = getattr(chdb, name)
    function.restype, function.argtypes = result, arguments
os.makedirs(folder, exist_ok=True)
words = (ctypes.c_char_p * 2)(b"chdb", b"--path=" + os.path.join(folder, "data").encode())
connection = chdb.chdb_connect(2, words)
if not connection:
    sys.exit("chdb_server.py: libchdb does not open %s" % folder)
# What is of HTTP alone, not a setting of ClickHouse's.
OF_HTTP = {"query", "database", "wait_end_of_query", "user", "password"}


class Problem(Exception):
    pass


def ask(sql):
    if isinstance(sql, str):
        sql = sql.encode("utf-8", "surrogateescape")
    result = chdb.chdb_query_n(connection[0], sql, len(sql), b"TabSeparated", 12)
    error = chdb.chdb_result_error(result)
    answer = b"" if error else ctypes.string_at(chdb.chdb_result_buffer(result), chdb.chdb_result_length(result))
    chdb.chdb_destroy_query_result(result)
    if error:
        raise Problem(error.decode(errors="replace"))
    return answer


def parts_of(kind, body):
    """The named parts of a multipart body, byte by byte."""
    mark = b"--" + kind.partition("boundary=")[2].strip('"').encode()
    parts = {}
    for part in (b"\r\n" + body).split(b"\r\n" + mark)[1:-1]:
        head, _, rows = part.partition(b"\r\n\r\n")
        parts[re.search(rb'[; ]name="(\w+)"', head)[1].decode()] = rows
    return parts


def insert(sql, rows):
    """The library takes rows from a file: inline, it would skip white space at their beginning."""
    into, _, form = sql.rpartition(" FORMAT ")
    path = os.path.join(folder, "rows")
    with open(path, "wb") as file:
        file.write(rows)
    try:
        return ask("%s FROM INFILE '%s' FORMAT %s" % (into, path, form))
    finally:
        os.remove(path)


def answer(fields, kind, body):
    settings = {name: value for name, value in fields.items() if name not in OF_HTTP}
    tables = {}
    if kind.startswith("multipart/"):
        for name, rows in parts_of(kind, body).items():
            tables[name] = settings.pop(name + "_structure"), settings.pop(name + "_format"), rows
    try:
        if "database" in fields:
            ask("USE " + fields["database"])
        for name, value in settings.items():
            ask("SET %s = %s" % (name, value))
        for name, (structure, form, rows) in tables.items():
            ask("CREATE TEMPORARY TABLE %s (%s)" % (name, structure))
            if rows:
                insert("INSERT INTO %s FORMAT %s" % (name, form), rows)
        if tables or "query" not in fields:
            return ask(fields["query"] if tables else body)
        return insert(fields["query"], body)
    finally:
        for name in tables:
            ask("DROP TEMPORARY TABLE IF EXISTS " + name)
        for name in settings:
            try:
                ask("SET %s = DEFAULT" % name)
            except Problem:
                pass  # it was none, which the answer says


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query, keep_blank_values=True))
        try:
            status, text = 200, answer(fields, self.headers.get("Content-Type", ""), body)
        except Problem as problem:
            status, text = 500, str(problem).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
