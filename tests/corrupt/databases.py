#!/usr/bin/env python3
"""Hostile databases: a small sound one is bent in one way after another, and every command that reads a
database is run on each.

    databases.py FISQL SCHEMA.sql FIXTURE.sql [all | brief | serve]      works in the current folder, prints ok / not ok lines

A command passes if it ends by itself within its time and memory, with status 0, 1 or 2, having said on
stderr why where it is 2, and lets no hidden character of the database through to people. A case's words
in `must` must be said by each command that ends with 2. With `all` each query runs by itself on each
database in each format; else the queries take turns. With `brief` a third of all this runs. With `serve`
`fisql serve` alone runs on each, and is asked all that it answers (serve_asks.py)."""
import math
import os
import random
import re
import resource
import shutil
import json
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from serve_asks import ask_all

fisql, schema_path, fixture_path = sys.argv[1:4]
exhaustive = "all" in sys.argv[4:]
brief = "brief" in sys.argv[4:]
serve_alone = "serve" in sys.argv[4:]
sanitized = "asan" in fisql
pageless = os.path.exists(os.path.join(os.path.dirname(fisql), "gen", "report_missing"))  # no report then
schema = open(schema_path).read()
LARGEST, SMALLEST = 2**63 - 1, -2**63
HOSTILE = "\x1b[31mred\x07\u202egnp.exe\u200b\u2066\u0085\U000e0041</script>\r\n|`"
TIME_S, MEMORY_BYTES = 20, 2 << 30  # of processor time: the machine may be busy
REQUEST_S, DRAWN_OUT_MAX = 20, 3  # of `fisql serve`: after this it ends a request; so many of them may take it
WALL_S = 600 if sanitized else 240

def make_sound(path):
    """The fixture, and in each table that it leaves empty some rows of small numbers."""
    database = sqlite3.connect(path)
    database.executescript(schema)
    database.executescript(open(fixture_path).read())
    for table in tables(database):
        if database.execute("SELECT 1 FROM %s LIMIT 1" % table).fetchone():
            continue
        for row in range(1, 6):
            columns = [c for c in database.execute("PRAGMA table_xinfo(%s)" % table) if c[6] == 0]
            values = [row if c[5] or "INT" in c[2] or "REAL" in c[2] else "%d 1 2" % row for c in columns]
            database.execute("INSERT OR IGNORE INTO %s(%s) VALUES(%s)" % (
                table, ", ".join(c[1] for c in columns), ", ".join("?" * len(columns))), values)
    database.commit()
    database.close()


def tables(database):
    return [name for name, in database.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1")]


cases = []  # (name, function that bends an open database, or its file's bytes; words that must be said)


def case(name, must=""):
    def add(bend):
        cases.append((name, bend, must, False))
        return bend
    return add


def file_case(name, must=""):
    def add(bend):
        cases.append((name, bend, must, True))
        return bend
    return add


def run_sql(script):
    def bend(database):
        database.executescript("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON;"
                               + script)
    return bend


def sql_case(name, script, must=""):
    case(name, must)(run_sql(script))


# ---- values

def set_values(database, chosen, value, place="?"):
    """Gives all columns of the tables but their keys the value (or what it gives for a table, column and row)."""
    database.execute("PRAGMA writable_schema = ON")  # NOT NULL goes, the names and types stay
    database.execute("UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")
    database.commit()
    path = database.execute("PRAGMA database_list").fetchone()[2]
    database.close()
    database = sqlite3.connect(path)
    for table in chosen:
        columns = list(database.execute("PRAGMA table_xinfo(%s)" % table))
        keys = [c[1] for c in columns if c[5]]
        for column in columns:
            if column[5] or column[6]:
                continue
            rows = database.execute("SELECT %s FROM %s" % (", ".join(keys), table)).fetchall()
            for key in rows:
                database.execute("UPDATE OR IGNORE %s SET %s = %s WHERE %s" % (
                    table, column[1], place, " AND ".join(k + " IS ?" for k in keys)), (value(table, column[1]), *key))
    database.execute("PRAGMA writable_schema = ON")
    known = sqlite3.connect(":memory:")
    known.executescript(schema)
    for name, sql in known.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'"):
        database.execute("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?", (sql, name))
    database.commit()
    database.close()


ODD = [None, "text", "", LARGEST, SMALLEST, -1, 0, 2**32, 2**53 + 1, 1e300, float("inf"), HOSTILE, b"\x00\xff\x1b", "9" * 40,
       "a\0b c", "1 a\0b"]
for label, value in [("NULL", None), ("text", "some text"), ("the largest integer", LARGEST), ("the smallest integer", SMALLEST),
                     ("-1", -1), ("0", 0), ("infinity", float("inf")), ("a blob", b"\x1b[2J\x00\xff"), ("a NUL in text", "1 a\0b"),
                     ("hidden characters", HOSTILE), ("bytes that are not UTF-8", "")]:
    def bend(database, value=value, label=label):
        set_values(database, tables(database), lambda table, column: value,
                   "CAST(x'ffc0afeda0809b33316d' || substr(?, 1, 0) AS TEXT)" if "UTF-8" in label else "?")
    case("%s everywhere" % label)(bend)
for seed in range(8):
    def bend(database, seed=seed):
        chance = random.Random(seed)
        set_values(database, tables(database), lambda table, column: chance.choice(ODD))
    case("odd values, %d" % seed)(bend)
for table in ("functions", "frames", "calls", "allocs", "threads", "processes", "sites", "files", "modules", "function_stats",
              "alloc_stacks", "edges", "call_sequences", "recursions", "run", "losses", "notes", "memory_steps", "gaps"):
    def bend(database, table=table):
        chance = random.Random(table)
        set_values(database, [table], lambda table, column: chance.choice(ODD))
    case("odd values in %s" % table)(bend)
LONG = "abcdefghi " * 100000
for table, column in (("functions", "name"), ("files", "path"), ("run", "value"), ("call_sequences", "sequence"),
                      ("recursions", "cycle"), ("threads", "name"), ("notes", "text"), ("losses", "detail")):
    sql_case("a megabyte in %s.%s" % (table, column), "UPDATE %s SET %s = replace(hex(zeroblob(50000)), '00', 'abcdefg < ')"
             % (table, column))
sql_case("a megabyte of brackets", "UPDATE functions SET name = '<' || replace(hex(zeroblob(250000)), '00', '(<[{')")

# ---- circles and dangling ids

sql_case("frames below themselves", "UPDATE frames SET parent_id = id", "contradict")
sql_case("one frame below itself", "UPDATE frames SET parent_id = id WHERE id = (SELECT max(id) FROM frames)", "contradict")
sql_case("two frames below each other", "UPDATE frames SET parent_id = 3 WHERE id = 2; UPDATE frames SET parent_id = 2 WHERE id = 3",
         "contradict")
sql_case("frames upside down", "UPDATE frames SET parent_id = nullif(id + 1, (SELECT max(id) + 1 FROM frames))", "contradict")
sql_case("frames below nothing", "UPDATE frames SET parent_id = id - 100000 WHERE id > 1")
sql_case("frames below text", "UPDATE frames SET parent_id = 'x'", "contradict")
sql_case("a circle that the index does not show", """DROP INDEX frames_parent; CREATE INDEX frames_parent ON frames(parent_id);
    UPDATE sqlite_schema SET type = 'view', rootpage = 0, sql = 'CREATE VIEW frames_parent AS SELECT 1' WHERE name = 'frames_parent'""",
         "cannot be")
sql_case("calls within themselves", "UPDATE calls SET parent_distance = 0")
sql_case("calls within later ones", "UPDATE calls SET parent_distance = -1")
sql_case("calls of an impossible size", "UPDATE calls SET descendants = %d" % LARGEST)
sql_case("calls of a negative size", "UPDATE calls SET descendants = %d, duration_ns = %d, enter_ns = %d" % (SMALLEST, SMALLEST, SMALLEST))
sql_case("calls of all times", "UPDATE calls SET duration_ns = %d, enter_ns = %d" % (LARGEST, LARGEST))
sql_case("calls of all depths", "UPDATE calls SET depth = %d, children_ns = %d, ended = %d" % (LARGEST, SMALLEST, LARGEST))
sql_case("calls without frames", "UPDATE calls SET frame_id = 1000000 + id")
sql_case("threads of all calls", "UPDATE threads SET first_call_id = %d, last_call_id = %d, start_ns = %d, end_ns = %d, calls = %d"
         % (SMALLEST, LARGEST, SMALLEST, LARGEST, LARGEST))
sql_case("threads of no process", "UPDATE threads SET process_id = -1")
sql_case("processes that are their own parents", "UPDATE processes SET parent_id = id")
sql_case("blocks made of themselves", "UPDATE allocs SET realloc_of = id, free_ns = %d, alloc_ns = %d" % (SMALLEST, LARGEST))
sql_case("blocks of nobody", "UPDATE allocs SET frame_id = -1, call_id = -1, thread_id = -1, site_id = 10000000, size = %d" % SMALLEST)
sql_case("dangling ids", """UPDATE frames SET site_id = 99999; UPDATE sites SET function_id = 99999, file_id = 99999;
    UPDATE edges SET caller_id = 99999, callee_id = 99998, site_id = -4; UPDATE functions SET file_id = 99999, module_id = -1;
    UPDATE alloc_stacks SET frame_id = 99999; UPDATE function_stats SET slowest_call_id = 99999, fastest_call_id = -99999""")
sql_case("functions that are not there", "DELETE FROM functions", "load the log again")
sql_case("frames of functions that are not there", "UPDATE frames SET function_id = 99999", "contradict")
sql_case("no frames", "DELETE FROM frames")
sql_case("no rows at all", "".join("DELETE FROM %s;" % t for t in re.findall(r"CREATE TABLE (\w+)", schema)))
for table in ("functions", "frames", "sites", "files", "calls", "threads", "modules", "allocs"):
    for id in (LARGEST, SMALLEST, 2**32 + 5):
        sql_case("an id %d in %s" % (id, table), "UPDATE %s SET id = %d WHERE id = (SELECT max(id) FROM %s)" % (table, id, table))

# ---- another schema

for table in re.findall(r"CREATE TABLE (\w+)", schema):
    sql_case("no table %s" % table, "DROP TABLE %s" % table, "is not as `fisql load` makes it")
for table in ("run", "functions", "frames", "calls", "threads", "losses"):
    view = "ALTER TABLE %s RENAME TO old_%s; CREATE VIEW %s AS " % (table, table, table)
    sql_case("a view in the place of %s" % table, view + "SELECT * FROM old_%s" % table, "is not as `fisql load` makes it")
    sql_case("an endless view in the place of %s" % table,
             view + "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT * FROM old_%s, n" % table,
             "is not as `fisql load` makes it")
    sql_case("fewer columns in %s" % table, "DROP TABLE %s; CREATE TABLE %s(id INTEGER PRIMARY KEY)" % (table, table),
             "is not as `fisql load` makes it")
sql_case("no key in frames", "DROP TABLE frames; CREATE TABLE frames AS SELECT * FROM calls", "is not as `fisql load` makes it")
sql_case("computed columns", """ALTER TABLE files RENAME TO f; DROP TABLE f;
    CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT NOT NULL, name TEXT AS (hex(zeroblob(500000000))))""",
         "is not as `fisql load` makes it")
sql_case("a virtual table", "DROP TABLE notes; CREATE VIRTUAL TABLE notes USING fts5(id, thread_id, call_id, ns, text)",
         "has a virtual table")
sql_case("no index of frames", "DROP INDEX frames_parent", "is not as `fisql load` makes it")
sql_case("no index of frames that lie astray", "DROP INDEX frames_astray", "is not as `fisql load` makes it")
for view in ("frame_stacks", "function_details", "site_details", "call_details", "frame_details"):
    sql_case("an endless view %s" % view, "DROP VIEW %s; CREATE VIEW %s AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL"
             " SELECT id + 1 FROM n) SELECT * FROM n" % (view, view))
sql_case("triggers", "CREATE TRIGGER a AFTER INSERT ON run BEGIN DELETE FROM run; END;"
         " CREATE TEMP TRIGGER b AFTER UPDATE ON functions BEGIN SELECT writefile('x', 'y'); END")
sql_case("a schema that does not parse", "UPDATE sqlite_schema SET sql = 'CREATE TABLE run(' WHERE name = 'run'", "cannot be")
sql_case("a schema with hidden characters", "UPDATE sqlite_schema SET sql = 'CREATE TABLE run(\x1b[31m' || char(8238) || ')'"
         " WHERE name = 'run'", "cannot be")
sql_case("a newer version", "PRAGMA user_version = 1000", "has schema version 1000")
sql_case("an older version", "PRAGMA user_version = 1", "load the log again with `fisql load`")
sql_case("an impossible version", "PRAGMA user_version = -2147483648", "has schema version -2147483648")
sql_case("not ours", "PRAGMA application_id = 1", "is not a fisql database")

# ---- another file


@file_case("no bytes", "is not a fisql database")
def nothing(data):
    return b""


@file_case("text", "is not a fisql database")
def text(data):
    return b"SQLite format 4\0" + b"x" * 8000


for part in (50, 100, 4096, 20000):
    file_case("cut after %d bytes" % part)(lambda data, part=part: data[:part])
for seed in range(12):
    def flip(data, seed=seed):
        chance, data = random.Random(seed), bytearray(data)
        for _ in range(400):
            data[chance.randrange(100, len(data))] = chance.randrange(256)
        return bytes(data)
    file_case("400 bytes of chance, %d" % seed)(flip)

# ---- the commands

WHOLE = {"NULL everywhere", "the largest integer everywhere", "hidden characters everywhere", "odd values, 0",
         "two frames below each other", "no rows at all", "an endless view frame_stacks"}
names = subprocess.run([fisql, "query", "--names"], capture_output=True, text=True, check=True).stdout.split()
formats = ["table", "csv", "json", "markdown"]
queries = [["query", name, "--format", f] for f in formats for name in names]
turn = 0


def commands(path, name, must, of_file):
    """The commands of a case; where it is one of many of its kind, some of them, in turns."""
    global turn
    if serve_alone:
        turn += 1
        if not brief or turn % 3 == 0:
            yield ["serve", path]
        return
    every = list(all_commands(path))
    if exhaustive:
        yield from every + [query + [path] for query in queries]
        return
    if must.startswith(("is not as", "has schema")):  # all begin by opening it
        count = 1
    elif name in WHOLE:
        count = len(every) // 3 if brief else len(every)
    else:
        count = 1 if brief else 3
    turn += 1
    assert math.gcd(len(every), 9) == 1  # all have their turn
    yield from [every[(turn + i * 9) % len(every)] for i in range(count)]
    if count > 1 or brief:
        yield from [queries[(turn * 5 + i) % len(queries)] + [path] for i in range(1 if brief else 2)]


def all_commands(path):
    yield from (["query", "--all", path], ["query", "--all", "--format", "markdown", path], ["info", path], ["stack", "1", path],
                ["stack", "--all", "5", path], ["trace", path], ["trace", "--depth", "2", "--since", "1ns", path], ["tree", path],
                ["tree", "--sort", "bytes", "--min-percent", "0", path], ["report", path, "-o", "-"],
                ["report", "--diff", path, "sound.db", "-o", "-"], ["review", path], ["review", path, "--picture", path + ".svg"],
                ["diff", path, "sound.db"], ["diff", "sound.db", path, "--tree", "--all"], ["diff", path, path, "--first-divergence"],
                ["diff", "sound.db", path, "--check", "total_ns>+10%"],
                ["query", "not-freed", "--suppressions", "leak.supp", path], ["digest", path], ["query", path],
                ["query", "--all", "--all-blocks", "--all-code", path], ["tree", "--by", "wait", path],
                ["diff", path, "sound.db", "--by", "wait"], ["mcp", "--max-time", "2s", path, "sound.db"],
                ["whatif", path], ["whatif", path, "parse: 2x", "work: async", "--format", "json"],
                ["history", path, "block", "1"])
    for word in ("perfetto", "chrome", "speedscope", "folded", "callgrind", "pprof", "dot", "mermaid"):
        yield ["export", "--format", word, path]
    yield ["export", "--format", "callgrind", "--since", "1ns", path]
    yield ["export", "--format", "folded", "--until", "1s", "--weight", "bytes", path]
    yield ["export", "--format", "folded", "--until", "1s", "--by", "wait", path]


hidden = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
exact = {"csv", "perfetto", "pprof"}  # formats of exact bytes


def limit(seconds=TIME_S):
    if not sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds *= 10 if sanitized else 1  # copies of a megabyte take sixty times as long then
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def limit_serve():
    """Of many requests; each one that a hostile database would draw out ends after REQUEST_S."""
    limit(TIME_S + DRAWN_OUT_MAX * REQUEST_S)


def run_mcp(command, must):
    """What is wrong with an agent's requests, or nothing: each has its answer."""
    path = command[-2]
    tools = [("digest", {}), ("query", {"name": "hot-functions"}), ("query", {"name": "not-freed"}), ("query", {"name": "slow-calls"}),
             ("sql", {"sql": "SELECT * FROM functions"}), ("tree", {"min_percent": 0}), ("call", {"id": 5}), ("source", {"function": "*"}),
             ("runs", {}), ("diff", {"before": path, "after": "sound.db"})]
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}]
    lines += [{"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
              for i, (name, arguments) in enumerate(tools, 1)]
    server = subprocess.Popen([fisql, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
    end = threading.Timer(WALL_S, server.kill)
    end.start()
    server.stdin.write("".join(json.dumps(line) + "\n" for line in lines).encode())
    server.stdin.flush()
    read = [server.stdout.readline() for _ in lines]  # the end of the input would end it before they are answered
    server.stdin.close()
    words, status = server.stderr.read(), server.wait()
    server.stdout.close()
    server.stderr.close()
    end.cancel()
    if status != 0 or words:
        return "ends with %d: %s" % (status, words[-800:])
    answers = [json.loads(line) for line in read]
    if [answer.get("id") for answer in answers] != list(range(len(lines))):
        return "answers %s" % read[-1][-800:]
    if max(map(len, read)) > 50001:
        return "an answer is too long"
    for (name, _), answer in zip(tools, answers[1:]):
        text = answer["result"]["content"][0]["text"]
        found = hidden.search(text) if name in ("digest", "tree", "call", "source") else None  # JSON in the others is exact
        if found:
            return "%s has %r in %r" % (name, found.group(), text[max(0, found.start() - 40):found.end() + 20])
        if must.startswith("is not as") and name != "runs" and not answer["result"]["isError"]:
            return "%s answers, though the schema is another" % name
    return None


def run_serve(command, must):
    """What is wrong with its answers, or nothing."""
    server = subprocess.Popen([fisql, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=open(command[1] + ".says", "wb"), preexec_fn=limit_serve)
    end = threading.Timer(WALL_S, server.kill)
    end.start()
    address = server.stdout.readline().decode().strip()
    problem = ask_all(address, hidden) if address else None
    if address:
        server.send_signal(signal.SIGINT)
    status = server.wait()
    server.stdout.close()
    end.cancel()
    words = open(command[1] + ".says", errors="replace").read()
    os.unlink(command[1] + ".says")
    if "runtime error" in words or "Sanitizer" in words:
        return words[-800:]
    if status != (0 if address else 2):
        return "ends with %d: %s %s" % (status, words[-800:], problem or "")
    if not address and not (words.startswith("fisql: ") and must in words):
        return "says: %s" % (words[:300] or "nothing")
    if address and must.startswith(("is not as", "has schema")):
        return "is served, though the schema is another"
    found = hidden.search(words)
    return problem or ("stderr has %r" % words if found else None)


def run(command, must):
    """What is wrong, or nothing."""
    if command[0] == "mcp":
        return run_mcp(command, must)
    if command[0] == "serve":
        return run_serve(command, must)
    try:
        done = subprocess.run([fisql, *command], capture_output=True, timeout=WALL_S, preexec_fn=limit,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode == -signal.SIGXCPU:
        return "does not end"
    words = done.stderr.decode("utf-8", "replace")
    if done.returncode not in (0, 1, 2):
        return "ends with %d: %s" % (done.returncode, words[-800:])
    if "runtime error" in words or "Sanitizer" in words:
        return words[-800:]
    if "integer overflow" in words:
        return "a sum of made-up numbers ends it: %s" % words[-800:]
    if done.returncode == 2 and not (words.startswith("fisql: ") and must in words):
        return "says: %s" % (words[:300] or "nothing")
    if must and must.startswith("is not as") and done.returncode != 2:
        return "ends with %d, though the schema is another" % done.returncode
    if "report" in command:  # the page's own code is not the database's
        done.stdout = done.stdout.partition(b'id="data"')[2].partition(b"</script>")[0]
    out = "" if exact & set(command) else done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    for where, text in (("stderr", words), ("stdout", out)):
        found = hidden.search(text)
        if found:
            return "%s has %r in %r" % (where, found.group(), text[max(0, found.start() - 40):found.end() + 20])
    return None


def make(path, bend, of_file):
    shutil.copy("sound.db", path)
    if of_file:
        data = bend(open(path, "rb").read())
        open(path, "wb").write(data)
        return
    database = sqlite3.connect(path)
    bend(database)
    try:
        database.commit()
        database.close()
    except sqlite3.ProgrammingError:
        pass  # it has closed it


make_sound("sound.db")
open("leak.supp", "w").write("leak:nothing_of_that_name\n")
with ThreadPoolExecutor(2) as pool:
    for number, (name, bend, must, of_file) in enumerate(cases):
        path = "case%d.db" % number
        todo = [c for c in commands(path, name, must, of_file) if not (pageless and c[0] == "report")]
        if not todo:
            continue
        make(path, bend, of_file)
        wrong = ["%s: %s" % (" ".join(c), problem) for c, problem in zip(todo, pool.map(lambda c: run(c, must), todo)) if problem]
        print("%s - hostile database: %s" % ("not ok" if wrong else "ok", name))
        for line in wrong[:6]:
            print("    " + line.replace("\n", "\n    "))
        sys.stdout.flush()
        os.unlink(path)
