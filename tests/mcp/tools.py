"""What the tools of `fisql mcp` answer, against what the commands print and what the databases hold:
tools.py FISQL A.db B.db WORDSTAT.c, in their folder."""
import json
import os
import sqlite3
import subprocess
import sys

from client import Server, check, same

fisql, database, other, source = sys.argv[1:]


def command(*arguments):
    return subprocess.run([fisql, *arguments], capture_output=True, text=True, timeout=300).stdout


def without_notes(text):
    return text.split("\nNotes:\n")[0]


def queries():
    names = command("query", "--names").split()
    text, _ = server.tool("queries")
    same("queries lists them all", sorted(names), sorted(line.split(":")[0] for line in text.splitlines()))
    same("and gives a manual", command("query", "callers", "--help", "--format", "markdown"), server.tool("queries", name="callers")[0])
    limit = 7
    for name in names:
        all_rows = json.loads(command("query", name, database, "--format", "json", "--demangle", "short"))
        answer = server.rows("query", name=name, limit=limit)
        same("%s: the rows of fisql query, and how many are left out" % name,
             (all_rows[:limit], len(all_rows[:limit]), len(all_rows) - len(all_rows[:limit])),
             (answer["rows"], answer["rows_shown"], answer["rows_left_out"]))
    answer = server.rows("query", name="hot-functions", full_names=True, limit=100)
    same("with full names, too", json.loads(command("query", "hot-functions", database, "--format", "json")), answer["rows"])
    same("units come with them", ("ns", "%", "calls"), tuple(answer["units"][column] for column in ("self_cpu_ns", "share", "calls")))
    for arguments, options in (({"function": "hash*"}, ["--function", "hash*"]), ({"sort": "calls", "reverse": True}, ["--sort", "calls", "--reverse"]),
                               ({"all_code": True}, ["--all-code"]), ({"file": "wordstat.c"}, ["--file", "wordstat.c"])):
        same("hot-functions with %s" % arguments, json.loads(command("query", "hot-functions", database, "--format", "json", "--demangle", "short", *options)),
             server.rows("query", name="hot-functions", limit=1000, **arguments)["rows"])
    same("a parameter is that of -p", json.loads(command("query", "callers", database, "--format", "json", "--demangle", "short", "-p", "function=main")),
         server.rows("query", name="callers", parameters={"function": "main"}, limit=1000)["rows"])
    same("a number, too", json.loads(command("query", "inline-candidates", database, "--format", "json", "--demangle", "short", "-p", "min_calls=5")),
         server.rows("query", name="inline-candidates", parameters={"min_calls": 5}, limit=1000)["rows"])


def statements():
    statement = "SELECT f.name AS function, s.* FROM function_stats s JOIN functions f ON f.id = s.function_id ORDER BY s.calls DESC, f.id"
    with open("own.sql", "w") as file:
        file.write(statement)
    same("sql gives the rows of fisql query --query-file",
         json.loads(command("query", "--query-file", "own.sql", database, "--format", "json", "--demangle", "short", "--all-code")),
         server.rows("sql", sql=statement, limit=1000)["rows"])
    same("the views of queries are there", len(json.loads(command("query", "hot-paths", database, "--format", "json", "--all-code"))),
         server.rows("sql", sql="select count(*) as n from hot_paths")["rows"][0]["n"])
    same("and those of the schema", [{"sql": "calls"}], server.rows("sql", sql="SELECT name AS sql FROM sqlite_schema WHERE name = 'calls'")["rows"])


def texts():
    same("digest is fisql digest", command("digest", database), without_notes(server.tool("digest")[0]))
    same("tree is fisql tree", command("tree", database, "--depth", "8"), without_notes(server.tool("tree")[0]))
    same("with its arguments", command("tree", database, "--from", "main", "--depth", "3", "--min-percent", "0", "--sort", "calls", "--by", "wall", "--all-code", "--wide"),
         without_notes(server.tool("tree", **{"from": "main"}, depth=3, min_percent=0, sort="calls", by="wall", all_code=True, full_names=True)[0]))
    slowest = sqlite3.connect("file:%s?mode=ro" % database, uri=True).execute(
        "SELECT slowest_call_id FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'document_make'").fetchone()[0]
    text = server.tool("call", id=slowest)[0]
    stack, trace = command("stack", str(slowest), database), command("trace", database, "--within", str(slowest), "--depth", "2", "--limit", "51")
    same("call is fisql stack, then fisql trace within it", (stack, trace), (text[:len(stack)], without_notes(text).split("\n", len(stack.split("\n")) + 1)[-1]))
    text = server.tool("call", id=5, database=other)[0]
    has = command("stack", "5", other)
    check("(" in has and text.startswith(has), "with arguments and results where they were recorded", text)
    same("diff is fisql diff", json.loads(command("diff", database, other, "--format", "json")), server.rows("diff", before=database, after=other, limit=1000)["rows"])
    same("of modules, too", json.loads(command("diff", database, other, "--format", "json", "--modules")),
         server.rows("diff", before=database, after=other, modules=True)["rows"])


def resources():
    listed = server.ask("resources/list")["result"]["resources"]
    same("the schema and each query's manual are resources", ["fisql://schema"] + sorted("fisql://query/" + name for name in command("query", "--names").split()),
         [listed[0]["uri"]] + sorted(resource["uri"] for resource in listed[1:]))
    read = lambda uri: server.ask("resources/read", {"uri": uri})["result"]["contents"][0]
    check(read("fisql://schema")["text"].split()[:40] == command("schema").split()[:40], "the schema is fisql schema")
    for name in ("calls", "function_stats", "call_details"):
        same("the table %s is fisql schema %s" % (name, name), command("schema", name), read("fisql://schema/" + name)["text"])
    for name in ("not-freed", "lock-waits"):
        same("the manual of %s is its help" % name, command("query", name, "--help", "--format", "markdown"), read("fisql://query/" + name)["text"])
    same("the templates", ["fisql://schema/{table}", "fisql://query/{name}"],
         [template["uriTemplate"] for template in server.ask("resources/templates/list")["result"]["resourceTemplates"]])


def runs():
    answer = server.rows("runs")
    same("runs lists the databases given, then those in the folder", [database, other] + sorted(
        name for name in os.listdir(".") if name.endswith(".db") and name not in (database, other) and name != "garbage.db"), [row["database"] for row in answer["rows"]])
    connection = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    calls, blocks = connection.execute("SELECT sum(calls) FROM function_stats").fetchone()[0], connection.execute("SELECT count(*) FROM allocs").fetchone()[0]
    same("with their figures", (calls, blocks, "./wordstat"), (answer["rows"][0]["calls"], answer["rows"][0]["allocations"], answer["rows"][0]["command"]))


def lines_of(text):
    """The table of the tool source: {line: (calls, blocks)}; lines of further callees have none."""
    found, last = {}, None
    for line in text.split("\n", 4)[4].splitlines():
        number, calls, blocks = line[:6].strip(), line[7:16].strip(), line[29:37].strip()
        last = int(number) if number.isdigit() else last
        if last is not None and (calls or blocks):
            before = found.get(last, (0, 0))
            found[last] = (before[0] + int(calls or 0), before[1] + int(blocks or 0))
    return found


def sources():
    connection = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    with open(source) as file:
        text_lines = file.read().splitlines()
    for name in ("main", "document_make", "table_add"):
        text = without_notes(server.tool("source", function=name)[0])
        calls = dict(connection.execute("SELECT s.line, sum(e.calls) FROM edges e JOIN sites s ON s.id = e.site_id JOIN functions f ON f.id = e.caller_id"
                                        " JOIN functions g ON g.id = e.callee_id WHERE f.name = ? AND g.own GROUP BY s.line", (name,)).fetchall())
        blocks = dict(connection.execute("SELECT s.line, count(*) FROM allocs a JOIN frames fr ON fr.id = a.frame_id JOIN functions f ON f.id = fr.function_id"
                                         " JOIN sites s ON s.id = a.site_id WHERE f.name = ? GROUP BY s.line", (name,)).fetchall())
        expected = {line: (calls.get(line, 0), blocks.get(line, 0)) for line in set(calls) | set(blocks)}
        same("source of %s: calls and blocks by line are those of the tables" % name, expected, lines_of(text))
        shown = [line for line in text.split("\n", 4)[4].splitlines() if line[:6].strip().isdigit()]
        check(shown and all(text_lines[int(line[:6]) - 1].replace("\t", "") in line.replace("\\x09", "") for line in shown), "with the text of each line", text)


def bounds():
    small = Server(fisql, "--max-bytes", "8K", database, other)
    bound = 8192
    tools, cursor, pages = [], {}, 0
    while True:
        result = small.ask("tools/list", cursor)["result"]
        tools += result["tools"]
        pages += 1
        check(small.bytes <= bound, "a page of tools is %d bytes" % small.bytes)
        if "nextCursor" not in result:
            break
        cursor = {"cursor": result["nextCursor"]}
    same("the pages have the same tools", [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]], [tool["name"] for tool in tools])
    check(pages > 1, "there is more than one page: %d" % pages)
    listed, cursor = [], {}
    while True:
        result = small.ask("resources/list", cursor)["result"]
        listed += result["resources"]
        if "nextCursor" not in result:
            break
        cursor = {"cursor": result["nextCursor"]}
    same("so have those of resources", server.ask("resources/list")["result"]["resources"], listed)
    small.ask("resources/read", {"uri": "fisql://schema"})
    for tool, arguments in (("digest", {}), ("queries", {}), ("tree", {"min_percent": 0, "depth": 100, "all_code": True, "full_names": True}),
                            ("call", {"id": 1, "depth": 50, "limit": 5000}), ("source", {"function": "main"}), ("runs", {}),
                            ("query", {"name": "nothing" * 5000}), ("sql", {"sql": "SELEKT " + "x" * 50000})):
        text, _ = small.tool(tool, **arguments)
        check(small.bytes <= bound, "%s: %d bytes" % (tool, small.bytes))
    text, _ = small.tool("call", id=1, depth=50, limit=5000)
    check("[left out: " in text and small.bytes > bound * 3 // 4, "a text says what is left out, and is no smaller than need be: %d" % small.bytes, text[-300:])
    for expression, rows in (("printf('%.*c', 100, 'x')", 3000), ("printf('%.*c', 300, char(34))", 300), ("printf('%.*c', 300, char(10))", 300),
                             ("printf('%.*c', 300, char(1))", 300), ("CAST(x'ff80fe00ff' AS TEXT)", 5000), ("replace(printf('%.*c', 300, 'x'), 'x', '\u20ac')", 300),
                             ("replace(printf('%.*c', 300, 'x'), 'x', '\u202e')", 300), ("printf('%.*c', 100000, 'x')", 3), ("zeroblob(3000)", 100)):
        statement = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i, %s AS a FROM n" % (rows, expression)
        answer = small.rows("sql", sql=statement, limit=100000)
        check(small.bytes <= bound and answer["rows_shown"] + answer["rows_left_out"] == rows and answer["rows_left_out"] >= 0,
              "%d rows of %s: %d bytes with %d of them" % (rows, expression, small.bytes, answer["rows_shown"]), str(answer)[-300:])
        same("they are the first ones", list(range(1, answer["rows_shown"] + 1)), [row["i"] for row in answer["rows"]])
    for name in ("hot-functions", "functions", "context-tree", "call-counts", "not-freed"):
        answer = small.rows("query", name=name, limit=100000)
        check(small.bytes <= bound, "%s: %d bytes, %d rows left out" % (name, small.bytes, answer["rows_left_out"]))
    small.rows("diff", before=database, after=other, all=True)
    check(small.longest <= bound, "no line was longer than %d bytes: %d" % (bound, small.longest))
    small.close()


def paths():
    """What may be read: databases given or in the folder, sources with the ending of one."""
    os.makedirs("inside", exist_ok=True)
    os.makedirs("outside", exist_ok=True)
    for name in ("inside", "outside"):
        subprocess.run(["cp", database, name + "/run.db"], check=True)
    os.symlink("../outside/run.db", "inside/link.db")
    os.symlink(os.path.abspath("outside/run.db"), "inside/far.db")
    os.makedirs("inside/deeper", exist_ok=True)
    subprocess.run(["cp", database, "inside/deeper/run.db"], check=True)
    os.mkfifo("inside/pipe.db")
    with open("outside/secret.txt", "w") as file:
        file.write("SECRET\n" * 1000)
    os.symlink(os.path.abspath("outside/secret.txt"), "inside/secret.c")
    inner = Server(fisql, folder="inside")
    for path in ("../outside/run.db", os.path.abspath("outside/run.db"), "link.db", "far.db", "deeper/../../outside/run.db", "/dev/zero", "/etc/passwd", "x" * 5000, ""):
        text, wrong = inner.tool("digest", database=path)
        check(wrong, "%s is not read" % path[:60], text)
    for path in ("run.db", "./run.db", "deeper/run.db", os.path.abspath("inside/run.db")):
        text, wrong = inner.tool("sql", sql="SELECT 1", database=path)
        check(not wrong, "%s is read" % path, text)
    text, wrong = inner.tool("digest", database="pipe.db")
    check(wrong and "not a file" in text, "a pipe is no database", text)
    connection = sqlite3.connect("inside/run.db")
    for path in (os.path.abspath("outside/secret.txt"), os.path.abspath("inside/secret.c"), "/dev/zero", "/dev/stdin", os.path.abspath("inside"), "/nowhere.c"):
        connection.execute("UPDATE files SET path = ?", (path,))
        connection.commit()
        text, wrong = inner.tool("source", function="main")
        check(not wrong and "SECRET" not in text and "cannot be shown" in text, "%s is not shown as source" % path, text)
    connection.execute("UPDATE files SET path = ?", (os.path.abspath(source),))
    connection.execute("UPDATE functions SET line = 1 << 40")
    connection.commit()
    text, wrong = inner.tool("source", function="main")
    check(not wrong, "a line beyond the file is none", text)
    connection.execute("UPDATE functions SET name = 'main' || char(27) || '[2J' || char(8238) || x'ff' WHERE name = 'main'")
    connection.commit()
    for tool, arguments in (("tree", {"all_code": True}), ("digest", {}), ("source", {"function": "main*"})):
        text, _ = inner.tool(tool, **arguments)
        check("\x1b" not in text and "\u202e" not in text, "%s shows hidden characters by their numbers" % tool, text)
    connection.close()
    with open("inside/run.db", "r+b") as file:
        file.seek(4096 * 20)
        file.write(os.urandom(4096 * 200))
    damaged = [inner.tool(tool, **arguments) for tool, arguments in (("digest", {}), ("tree", {}), ("query", {"name": "hot-functions"}), ("sql", {"sql": "PRAGMA integrity_check"}))]
    check(any(wrong for _, wrong in damaged), "a damaged database is an error of the tool", damaged)
    text, wrong = inner.tool("digest", database="deeper/run.db")
    check(not wrong, "and the next one is read", text)
    os.remove("inside/run.db")
    text, wrong = inner.tool("digest")
    check(wrong and "No such file" in text, "one that was removed is no more", text)
    subprocess.run(["cp", database, "inside/run.db"], check=True)
    text, wrong = inner.tool("digest")
    check(not wrong, "and is there again when it is back", text)
    status, said = inner.close()
    same("it ended soundly, and said nothing else", (0, ""), (status, said))


server = Server(fisql, database, other)
queries()
statements()
texts()
resources()
runs()
sources()
bounds()
same("it ended soundly, and said nothing else", (0, ""), server.close())
paths()
