#!/usr/bin/env python3
"""What fisql serve answers, compared with the database and with fisql's other commands.
serve_client.py WHAT ADDRESS DATABASE [FISQL PID]: prints `ok - what` or `not ok - what` for each check."""
import http.client
import json
import os
import random
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from urllib.parse import quote, urlencode, urlsplit


def check(good, what, detail=""):
    print(("ok - " if good else "not ok - ") + what)
    if not good and detail != "":
        print("    " + str(detail)[:600].replace("\n", "\n    "))


def same(what, expected, actual):
    check(expected == actual, what, f"expected: {expected}\nactual:   {actual}")


class Server:
    def __init__(self, address):
        parts = urlsplit(address)
        self.host, self.port = parts.hostname, parts.port
        self.token = parts.query.removeprefix("token=")

    def ask(self, path, method="GET", body=None, token=True, timeout=60, **headers):
        """(status, headers, body)"""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            headers["Authorization"] = "Bearer " + self.token
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, answer.headers, text

    def get(self, path, **parameters):
        status, _, text = self.ask("/api/" + path + ("?" + urlencode(parameters) if parameters else ""))
        return status, json.loads(text)

    def sql(self, sql, **more):
        status, _, text = self.ask("/api/sql", "POST", json.dumps({"sql": sql, **more}))
        return status, json.loads(text)


def safe(server, _):
    refused = [
        ("without the token", 401, "/", {"token": False}),
        ("with a wrong one", 401, "/?token=" + "0" * 32, {"token": False}),
        ("an answer without it", 401, "/api/databases", {"token": False}),
        ("for another host", 403, "/api/databases", {"Host": "fisql.example:" + str(server.port)}),
        ("for another port", 403, "/api/databases", {"Host": "127.0.0.1:1"}),
        ("from a foreign page", 403, "/api/databases", {"Origin": "http://fisql.example"}),
        ("from a page without an origin", 403, "/api/databases", {"Origin": "null"}),
        ("from elsewhere, as the browser says", 403, "/api/databases", {"Sec_Fetch_Site": "same-site"}),
        ("of a file", 404, "/etc/passwd", {}),
        ("of a file, by steps up", 404, "/../../../../etc/passwd", {}),
        ("of a file, by encoded steps up", 404, "/api/source/..%2f..%2fetc%2fpasswd", {}),
        ("of a file as a query", 404, "/api/query/..%2F..%2Fetc%2Fpasswd", {}),
        ("of a file as a source", 400, "/api/source?file=/etc/passwd", {}),
        ("of a source that the database does not name", 404, "/api/source?file=999999", {}),
        ("of a database that is not served", 400, "/api/tree?db=99", {}),
        ("a range that is no number", 400, "/api/range?from=x", {}),
        ("of code that is none", 404, "/api/code?function=999999", {}),
        ("a change", 405, "/api/databases", {"method": "POST", "body": "x"}),
        ("by GET, of SQL", 405, "/api/sql", {}),
        ("by DELETE", 405, "/", {"method": "DELETE"}),
        ("a body that is too long", 413, "/api/sql", {"method": "POST", "body": b"x" * 2000000}),
        ("a body that is no JSON", 400, "/api/sql", {"method": "POST", "body": "SELECT 1"}),
        ("a query's wrong parameter", 400, "/api/query/hot-functions?p.nothing=1", {}),
        ("an option in place of a value", 400, "/api/query/hot-functions?limit=--all", {}),
    ]
    for what, expected, path, how in refused:
        try:
            status = server.ask(path, **how)[0]
        except (BrokenPipeError, ConnectionResetError):
            status = 413 if expected == 413 else "cut off"
        same("refused: " + what, expected, status)
    status, headers, _ = server.ask("/?token=" + server.token, token=False)
    same("the address leads to the page", (303, "/"), (status, headers["Location"]))
    cookie = headers["Set-Cookie"] or ""
    check("HttpOnly" in cookie and "SameSite=Strict" in cookie, "its cookie is the page's alone", cookie)
    status, headers, page = server.ask("/", token=False, Cookie=cookie.split(";")[0])
    same("the cookie opens the page", 200, status)
    policy = headers["Content-Security-Policy"]
    check("default-src 'none'" in policy and "unsafe" not in policy and "script-src 'self'" in policy, "the page may load its own parts alone", policy)
    check(b"<script>" not in page and b"style=" not in page and b"javascript:" not in page, "no script stands in the page")
    check("Access-Control-Allow-Origin" not in headers, "other pages may not read answers")
    same("its own origin is answered", 200, server.ask("/api/databases", Origin=f"http://127.0.0.1:{server.port}", Sec_Fetch_Site="same-origin")[0])
    same("a script is a script", "text/javascript; charset=utf-8", server.ask("/serve.js")[1]["Content-Type"])
    check("Set-Cookie" not in server.ask("/")[1], "a token in the head gives no cookie")


def queries(server, path, fisql):
    status, listed = server.get("queries")
    names = subprocess.run([fisql, "query", "--names"], capture_output=True, text=True).stdout.split()
    same("all queries are listed", (200, sorted(names)), (status, sorted(one["name"] for one in listed)))
    wrong = []
    for name in names:
        told = subprocess.run([fisql, "query", name, path, "--format", "json"], capture_output=True)
        _, headers, text = server.ask("/api/query/" + name)
        if text != told.stdout:
            wrong.append(name)
    same("each answers what fisql query NAME --format json prints", [], wrong)
    told = subprocess.run([fisql, "query", "hot-functions", path, "--format", "json", "--limit", "3", "-p", "by=wall", "--sort", "calls"], capture_output=True)
    same("with parameters, limit and order, too", told.stdout, server.ask("/api/query/hot-functions?limit=3&p.by=wall&sort=calls")[2])
    status, report = server.get("report")
    check(status == 200 and {"run", "functions", "frames"} <= set(report), "the report's data is answered", report.keys())
    text = server.ask("/api/report")[2]
    made = subprocess.run([fisql, "report", "--format", "json", "--calls", "0", "-o", "-", path], capture_output=True)
    same("as fisql report --format json makes it", made.stdout, text)
    told = subprocess.run([fisql, "history", "--format", "json", "--last", "3", path, "block", "1"], capture_output=True)
    same("history: what fisql history --format json prints", (200, told.stdout), server.ask("/api/history?block=1&last=3")[::2])
    same("history: of no object", 400, server.get("history", call=1)[0])


def sql(server, path, pid):
    database = sqlite3.connect(path)
    expected = [{"name": name, "calls": calls} for name, calls in database.execute(
        "SELECT f.name, s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id ORDER BY calls DESC, name")]
    status, answer = server.sql("SELECT f.name, s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id ORDER BY calls DESC, name")
    same("sql: the rows", (200, expected, "done", 0), (status, answer.get("rows"), answer.get("end"), answer.get("left_out")))
    calls = database.execute("SELECT count(*) FROM calls").fetchone()[0]
    answer = server.sql("SELECT id FROM calls", limit=10)[1]
    same("sql: what a limit leaves out is counted", (10, calls - 10), (len(answer["rows"]), answer["left_out"]))
    for what, text in {"DELETE": "DELETE FROM calls", "ATTACH": f"ATTACH '{path}' AS x", "a temporary table": "CREATE TEMP TABLE t AS SELECT 1",
                       "a pragma that writes": "PRAGMA user_version = 1", "load_extension": "SELECT load_extension('x')",
                       "two statements": "SELECT 1; SELECT 2", "no statement": "-- nothing", "a mistake": "SELEC 1"}.items():
        status, answer = server.sql(text)
        check(status == 400 and answer["error"] != "", f"sql: {what} is refused", (status, answer))
    same("sql: it changed nothing", calls, database.execute("SELECT count(*) FROM calls").fetchone()[0])
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    begun = time.monotonic()
    status, answer = server.sql(endless, seconds=1)
    check(status == 400 and "limit of time" in answer["error"] and time.monotonic() - begun < 20, "sql: an endless statement ends at its time", answer)
    status, answer = server.sql("WITH RECURSIVE n(i) AS (SELECT randomblob(500000) UNION ALL SELECT randomblob(500000) FROM n LIMIT 4000) SELECT count(DISTINCT i) FROM n", seconds=60)
    check(status in (200, 400), "sql: one that wants much memory is answered", (status, answer))

    def used():
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])
    body = json.dumps({"sql": endless, "seconds": 600})
    client = socket.create_connection((server.host, server.port))
    client.sendall(f"POST /api/sql HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
                   f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
    before = used()
    deadline = time.monotonic() + 60
    while used() - before < 5 and time.monotonic() < deadline:
        time.sleep(0.1)
    check(used() - before >= 5, "sql: a statement runs", used() - before)
    client.close()
    time.sleep(2)
    before = used()
    time.sleep(2)
    check(used() - before < 20, "sql: a client that goes ends it", f"{used() - before} ticks in 2 s")


def timeline(server, path, _):
    database = sqlite3.connect(path)
    end, = database.execute("SELECT max(end_ns) FROM threads").fetchone()
    floors = dict(database.execute("SELECT id, long_ns FROM threads"))
    names = dict(database.execute("SELECT id, name FROM functions"))
    generator = random.Random(1)
    wrong, windows, whole, coarse = [], 0, 0, 0
    for i in range(24):
        length = int(end ** generator.random()) + 1
        start = generator.randrange(max(1, end - length))
        if i == 0:
            start, length = 0, end
        pixels = generator.choice([100, 1000, 4000])
        status, answer = server.get("timeline", **{"from": start, "to": start + length, "pixels": pixels})
        if status != 200:
            wrong.append((start, length, status))
            continue
        pixel = length // pixels
        for lane in answer["threads"]:
            rows = database.execute(
                "SELECT c.id, c.enter_ns, c.duration_ns, c.depth, f.function_id FROM calls c JOIN frames f ON f.id = c.frame_id"
                " WHERE c.thread_id = ? AND c.enter_ns <= ? AND c.enter_ns + c.duration_ns >= ? AND c.duration_ns >= ? ORDER BY c.id",
                (lane["thread"], start + length, start, lane["least_ns"])).fetchall()
            calls = lane["calls"]
            got = list(zip(calls["id"], calls["enter_ns"], calls["duration_ns"], calls["depth"], calls["function_id"]))
            entered, = database.execute("SELECT count(*) FROM calls WHERE thread_id = ? AND enter_ns BETWEEN ? AND ?", (lane["thread"], start, start + length)).fetchone()
            windows += 1
            whole += lane["whole"]
            coarse += lane["least_ns"] > max(pixel, floors[lane["thread"]])
            if got != rows or entered != lane["entered"] or (lane["whole"] == 1) != (lane["least_ns"] == 0):
                wrong.append((start, length, lane["thread"], len(got), len(rows), lane["entered"], entered))
        shown = {one for lane in answer["threads"] for one in lane["calls"]["function_id"]}
        if not shown <= {one[0] for one in answer["functions"]} or any(names[one[0]] != one[1] for one in answer["functions"]):
            wrong.append((start, length, "names"))
    same("timeline: 24 windows have the calls that SQL finds", [], wrong[:5])
    same("timeline: no call is left out that is a pixel long", 0, coarse)
    check(0 < whole < windows, "timeline: some windows are whole, some are not", (whole, windows))
    ranges(server, database, end, generator)
    answer = server.get("timeline")[1]
    for lane in answer["threads"]:
        slices = database.execute("SELECT slice, calls, short_ns, function_id, function_ns FROM slices WHERE thread_id = ? ORDER BY slice", (lane["thread"],)).fetchall()
        same(f"timeline: the slices of thread {lane['thread']}", [list(one) for one in slices], lane["slices"])
    gap = database.execute("SELECT call_id, start_ns, wall_ns, wait_ns, preempted_ns, thread_id FROM gaps WHERE wait_ns > 0 ORDER BY wait_ns DESC LIMIT 1").fetchone()
    if gap:
        lanes = server.get("timeline", **{"from": gap[1], "to": gap[1] + 1, "thread": gap[5]})[1]["threads"]
        check([gap[1], gap[2], gap[3], gap[4], gap[0]] in lanes[0].get("gaps", []), "timeline: a wait is in its window", lanes[0].get("gaps"))


def ranges(server, database, end, generator):
    """Of some ranges what each context did there: its part of the range, less that of its callees."""
    rows = database.execute("SELECT c.id, c.parent_id, c.thread_id, c.frame_id, c.enter_ns, c.enter_ns + c.duration_ns FROM calls c").fetchall()
    frames = {one[0]: one[1:] for one in database.execute("SELECT id, coalesce(parent_id, 0), function_id FROM frames")}
    wrong, crossing = [], 0
    for i in range(6):
        length = end // generator.choice([1, 3, 30, 1000])
        start = generator.randrange(0, end - length + 1)
        thread = generator.choice([None, 1, 2])
        spent, entered, inside = {}, {}, {}
        for call, parent, of, frame, enter, leave in rows:
            if thread in (None, of) and enter <= start + length and leave >= start:
                inside[call] = (parent, frame, min(leave, start + length) - max(enter, start))
                entered[frame] = entered.get(frame, 0) + (enter >= start)
                crossing += enter < start or leave > start + length
        for parent, frame, part in inside.values():
            spent[frame] = spent.get(frame, 0) + part
            if parent in inside:
                above = inside[parent][1]
                spent[above] = spent.get(above, 0) - part
        only = "" if thread is None else f" AND thread_id = {thread}"
        blocks = dict((frame, (count, size)) for frame, count, size in database.execute(
            f"SELECT frame_id, count(*), sum(size) FROM allocs WHERE alloc_ns BETWEEN ? AND ? AND frame_id IS NOT NULL{only} GROUP BY 1", (start, start + length)))
        expected = {frame: (*frames[frame], entered.get(frame, 0), spent.get(frame, 0), *blocks.get(frame, (0, 0))) for frame in set(spent) | set(blocks)}
        status, answer = server.get("range", **{"from": start, "to": start + length}, **({"thread": thread} if thread else {}))
        got = {one[0]: (one[1], one[2], one[3], one[4], one[7], one[8]) for one in answer["frames"]}
        callers = {frame: what for frame, what in got.items() if frame not in expected}
        if status != 200 or {frame: got.get(frame) for frame in expected} != expected or any(what[2:] != (0, 0, 0, 0) for what in callers.values()):
            wrong.append((start, length, thread, [(frame, what, got.get(frame)) for frame, what in expected.items() if got.get(frame) != what][:3]))
        if any(one[1] not in got for one in answer["frames"] if one[1]) or answer["entered"] != sum(entered.values()):
            wrong.append((start, length, "callers", answer["entered"], sum(entered.values())))
        by_function = {}
        for _, function, calls, self_ns, *_ in expected.values():
            sums = by_function.setdefault(function, [0, 0])
            sums[0] += calls
            sums[1] += self_ns
        if by_function != {one["function_id"]: [one["calls"], one["self_ns"]] for one in answer["functions"]}:
            wrong.append((start, length, "functions"))
    same("range: six ranges have by context what their calls add up to", [], wrong)
    check(crossing > 0, "range: calls cross its ends")
    waits = database.execute("SELECT sum(wait_ns), sum(preempted_ns) FROM gaps WHERE paused = 0 AND call_id IS NOT NULL").fetchone()
    answer = server.get("range", **{"from": 0, "to": end})[1]
    same("range: of the whole run its waits are the gaps'", waits, (sum(one[5] for one in answer["frames"]), sum(one[6] for one in answer["frames"])))


def calls(server, path, _):
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    for call_id, in [tuple(one) for one in database.execute("SELECT id FROM calls ORDER BY depth DESC, id LIMIT 3")]:
        status, answer = server.get(f"call/{call_id}")
        row = dict(database.execute("SELECT * FROM call_details WHERE id = ?", (call_id,)).fetchone())
        same(f"call {call_id}: its row", (200, row), (status, {key: answer.get(key) for key in row}))
        stack, at = [], row["parent_id"]
        while at is not None:
            stack.insert(0, at)
            at = database.execute("SELECT parent_id FROM calls WHERE id = ?", (at,)).fetchone()[0]
        same(f"call {call_id}: the calls around it", stack, [one["id"] for one in answer["stack"]])
    parent = database.execute("SELECT parent_id FROM calls WHERE parent_id IS NOT NULL GROUP BY parent_id ORDER BY count(*) DESC LIMIT 1").fetchone()[0]
    children = [one[0] for one in database.execute("SELECT id FROM calls WHERE parent_id = ? ORDER BY id LIMIT 500", (parent,))]
    same("a call's calls", children, [one["id"] for one in server.get(f"call/{parent}")[1]["callees"]])
    same("a call that is not there", 404, server.get("call/99999999999")[0])
    roots = [one[0] for one in database.execute("SELECT id FROM frames WHERE parent_id IS NULL ORDER BY total_ns DESC, id")]
    answer = server.get("tree")[1]["frames"]
    same("tree: the roots", roots, [one["id"] for one in answer])
    below = [one[0] for one in database.execute("SELECT id FROM frames WHERE parent_id = ? ORDER BY total_ns DESC, id", (roots[0],))]
    same("tree: what is below one", below, [one["id"] for one in server.get("tree", parent=roots[0])[1]["frames"]])
    hot = database.execute("SELECT f.name FROM function_stats s JOIN functions f ON f.id = s.function_id ORDER BY s.self_cpu_ns DESC, f.id LIMIT 1").fetchone()[0]
    same("functions: the hottest first", hot, server.get("functions", limit=1)[1]["functions"][0]["name"])
    check(all("hash" in one["name"] for one in server.get("functions", match="hash")[1]["functions"]), "functions: by a part of the name")
    moments = database.execute("SELECT end_ns, live_blocks, live_bytes FROM memory_steps WHERE thread_id = 0 ORDER BY live_bytes DESC LIMIT 3").fetchall()
    for end_ns, blocks, held in [tuple(one) for one in moments]:
        answer = server.get("live", at=end_ns)[1]
        same(f"live blocks at {end_ns} ns are those of the step that ends there", (blocks, held), (answer["blocks"], answer["bytes"]))
        same("and their stacks have all of them", (blocks, held), (sum(one["blocks"] for one in answer["stacks"]), sum(one["bytes"] for one in answer["stacks"])))
    tables = {one["name"]: one for one in server.get("schema")[1]}
    columns = [one["name"] for one in database.execute("SELECT * FROM pragma_table_xinfo('calls')")]
    same("schema: the columns of calls", columns, [one["name"] for one in tables["calls"]["columns"]])
    check("CREATE VIEW" in tables["hot_functions"]["sql"], "schema: the views of queries")


def marks(server, path, _):
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    end = database.execute("SELECT max(end_ns) FROM threads").fetchone()[0]
    waits = [dict(one) for one in database.execute(
        "SELECT w.id, w.lock_id, w.thread_id, w.start_ns, w.wait_ns, w.ended, w.deadlock, w.call_id, (SELECT depth FROM calls WHERE id = w.call_id) AS depth, w.held_by_thread_id,"
        " w.held_by_call_id, (SELECT depth FROM calls WHERE id = w.held_by_call_id) AS held_by_depth, (SELECT function_id FROM frames WHERE id = w.held_by_frame_id) AS held_by_function_id"
        " FROM lock_waits w WHERE w.wait_ns > 0 ORDER BY w.wait_ns DESC, w.id")]
    answer = server.get("marks", limit=2000)[1]
    same("marks: the waits for locks", waits, answer["waits"])
    check(any(one["held_by_call_id"] is not None for one in waits), "marks: of some the call is known that held the lock", len(waits))
    names = dict(tuple(one) for one in database.execute("SELECT id, name FROM lock_details WHERE id IN (SELECT lock_id FROM lock_waits WHERE wait_ns > 0)"))
    same("marks: with the locks' names", names, {one["id"]: one["name"] for one in answer["locks"]})
    start, length = end // 3, end // 3
    within = [one["id"] for one in waits if one["start_ns"] <= start + length and one["start_ns"] + one["wait_ns"] >= start and one["wait_ns"] >= 5000]
    same("marks: of a window, and of a length", within, [one["id"] for one in server.get("marks", **{"from": start, "to": start + length, "least": 5000, "limit": 2000})[1]["waits"]])
    same("marks: no more than asked for", waits[:2], server.get("marks", limit=2)[1]["waits"])
    notes = [dict(one) for one in database.execute("SELECT id, kind, text, thread_id, call_id, ns FROM notes ORDER BY ns, id")]
    same("marks: notes, incidents and faults", (notes, 0, 0), (answer["notes"], len(answer["incidents"]), len(answer["faults"])))


def source(server, path, folder):
    database = sqlite3.connect(path)
    function, file, name = database.execute(
        "SELECT f.id, f.file_id, x.path FROM functions f JOIN files x ON x.id = f.file_id JOIN function_stats s ON s.function_id = f.id WHERE x.name = 'wordstat.c' LIMIT 1").fetchone()
    status, answer = server.get("source", function=function)
    same("source: the file", (200, file, name, "same", open(name).read()), (status, answer.get("file"), answer.get("path"), answer.get("state"), answer.get("text")))
    lines = database.execute("SELECT s.line, sum(e.calls) FROM sites s JOIN edges e ON e.site_id = s.id WHERE s.file_id = ? AND s.line IS NOT NULL GROUP BY 1 ORDER BY 1", (file,)).fetchall()
    same("source: calls by line", lines, [(one["line"], one["calls"]) for one in answer["calls"]])
    os.utime(name, (time.time() + 5, time.time() + 5))
    same("source: a file that was changed", "changed", server.get("source", file=file)[1]["state"])
    os.rename(name, name + ".away")
    same("source: a file that is gone", ("missing", None), (lambda one: (one["state"], one["text"]))(server.get("source", file=file)[1]))
    os.mkfifo(name)
    same("source: a pipe is not read", "it is not a file", server.get("source", file=file)[1]["problem"])
    os.remove(name)
    os.rename(name + ".away", name)


def code(server, path, _):
    database = sqlite3.connect(path)
    function, address, size, module = database.execute(
        "SELECT f.id, f.address, f.size, m.path FROM functions f JOIN modules m ON m.id = f.module_id WHERE f.name = 'table_add'").fetchone()
    status, answer = server.get("code", function=function)
    printed = subprocess.run(["objdump", "-dlC", "--no-show-raw-insn", f"--start-address={address}", f"--stop-address={address + size}", module], capture_output=True, text=True).stdout
    same("code: what objdump prints of the function", (200, None, printed), (status, answer["problem"], answer["text"]))
    check("words_equal" in answer["text"], "code: its calls are in it")
    sites = database.execute("SELECT s.address, sum(e.calls) FROM sites s JOIN edges e ON e.site_id = s.id WHERE s.function_id = ? GROUP BY s.id ORDER BY 1", (function,)).fetchall()
    same("code: the calls made from there", sites, [(one["address"], one["calls"]) for one in answer["sites"]])
    os.rename(module, module + ".away")
    same("code: of a module that is gone", (None, "objdump cannot read the file"), (lambda one: (one["text"], one["problem"]))(server.get("code", function=function)[1]))
    subprocess.run(["cp", "/bin/true", module], check=True)
    same("code: of another module in its place", (None, True), (lambda one: (one["text"], "build-id differs" in one["problem"]))(server.get("code", function=function)[1]))
    os.rename(module + ".away", module)


def load(server, path, pid):
    sanitized = "asan" in open(f"/proc/{pid}/maps").read() or os.environ.get("ASAN_OPTIONS") is not None
    results = []

    def client(number):
        try:
            results.append(server.ask("/api/functions?limit=5" if number % 2 else "/api/timeline?pixels=500", timeout=120)[0])
        except OSError as error:
            results.append(str(error))
    threads = [threading.Thread(target=client, args=(i,)) for i in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same("100 clients at once are answered", {200: 100}, {one: results.count(one) for one in set(results)})
    # a view that takes half of SQLite's memory to prepare, by many at once: some are refused, and none spoils what follows
    refused = set()
    threads = [threading.Thread(target=lambda: refused.add(server.sql("SELECT * FROM findings")[0]) or results.append(server.ask("/api/schema", timeout=120)[0])) for _ in range(8)]
    results.clear()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(refused <= {200, 400}, "a large view, asked for by 8 at once", refused)
    check(set(results) <= {200, 503}, "the schema beside it is answered, or later", results)
    for what in ("schema", "tree", "functions", "timeline", "findings"):
        status, answer = server.sql("SELECT * FROM findings") if what == "findings" else server.get(what)
        same(f"{what} is answered after many asked for a large view", 200, status)
    # statements that take long leave a connection to quick answers
    endless = []
    for i in range(6):
        client = socket.create_connection((server.host, server.port))
        body = json.dumps({"sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", "seconds": 600})
        client.sendall(f"POST /api/sql HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        endless.append(client)
    time.sleep(1)
    same("beside six statements without an end, one is answered", 200, server.ask("/api/functions?limit=5", timeout=100)[0])
    for client in endless:
        client.close()
    slow = []
    for i in range(20):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect((server.host, server.port))
        what = "/api/query/dead-code" if i < 4 else "/api/report"
        client.sendall(f"GET {what} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode())
        slow.append(client)
    time.sleep(1)
    begun = time.monotonic()
    same("beside 20 clients that do not read, one is answered", 200, server.ask("/api/tree", timeout=100)[0])
    same("and one whose answer a child makes", 200, server.ask("/api/query/hot-functions?limit=1", timeout=100)[0])
    check(time.monotonic() - begun < (600 if sanitized else 60), "in time", time.monotonic() - begun)
    for client in slow:
        client.close()
    for what, text in {"nothing": b"", "half a head": b"GET /api/tr", "no HTTP": b"\x00\xff\r\n\r\n" * 50, "a long head": b"GET / HTTP/1.1\r\nX: " + b"y" * 100000 + b"\r\n\r\n",
                       "a wrong length": b"POST /api/sql HTTP/1.1\r\nContent-Length: -5\r\n\r\n", "half a body": b"POST /api/sql HTTP/1.1\r\nContent-Length: 500\r\n\r\n{"}.items():
        client = socket.create_connection((server.host, server.port))
        try:
            client.sendall(text)
        except OSError:
            pass
        client.close()
        same(f"after {what} it goes on", 200, server.ask("/api/databases")[0])
    resident = int(next(line.split()[1] for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS")))
    check(sanitized or resident < 100 << 10, "the server has less than 100 MiB", f"{resident} KiB")


what, address, path = sys.argv[1:4]
more = {"safe": safe, "queries": queries, "sql": sql, "timeline": timeline, "marks": marks, "calls": calls, "source": source, "code": code, "load": load}[what]
arguments = [Server(address), path] + (sys.argv[4:5] if more in (queries, sql, load) else [] if more is safe else [None])
if more is safe:
    arguments = [Server(address), path]
more(*arguments)
