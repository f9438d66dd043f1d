"""What a client may send to `fisql mcp`, sound or not: protocol.py FISQL RUN.db"""
import json
import random
import subprocess
import sys
import threading
import time

from client import META, MODERN, Server, check, same

fisql, database = sys.argv[1:]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"


def code(message):
    return message["error"]["code"] if "error" in message else message


def beginning():
    server = Server(fisql, database)
    same("before anything, a request without a revision is refused", -32602, code(server.ask("tools/list", modern=False)))
    same("ping is answered", {}, server.ask("ping", modern=False)["result"])
    answer = server.ask("server/discover")["result"]
    same("the newest revision is named", ["2026-07-28"], answer["supportedVersions"])
    same("with what there is", {"tools": {}, "resources": {}}, answer["capabilities"])
    same("each of its results is complete", "complete", answer["resultType"])
    check(answer["ttlMs"] >= 0 and answer["cacheScope"] in ("public", "private"), "and says how long it holds", answer)
    same("and names the server", "fisql", answer["_meta"]["io.modelcontextprotocol/serverInfo"]["name"])
    for method in ("tools/list", "resources/list", "resources/templates/list"):
        result = server.ask(method)["result"]
        check({"ttlMs", "cacheScope", "resultType"} <= set(result), "%s says how long it holds" % method, result)
    same("ping is not part of it", -32601, code(server.ask("ping")))
    for version in ("2025-11-25", "1900-01-01", ""):
        server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {
            "_meta": dict(META, **{"io.modelcontextprotocol/protocolVersion": version})}})
        error = server.read()["error"]
        same("revision %r in _meta is refused" % version, (-32022, [MODERN], version),
             (error["code"], error["data"]["supported"], error["data"]["requested"]))
    for what, meta in (("without clientCapabilities", {k: v for k, v in META.items() if "Capabilities" not in k}),
                       ("with wrong clientCapabilities", dict(META, **{"io.modelcontextprotocol/clientCapabilities": 1})),
                       ("with a version that is no string", dict(META, **{"io.modelcontextprotocol/protocolVersion": 1}))):
        server.send({"jsonrpc": "2.0", "id": 8, "method": "tools/list", "params": {"_meta": meta}})
        same("a request %s is refused" % what, -32602, code(server.read()))
    for wanted, given in (("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2024-11-05", "2025-11-25"),
                          ("2026-07-28", "2025-11-25")):
        result = server.ask("initialize", {"protocolVersion": wanted, "capabilities": {}, "clientInfo":
                                           {"name": "plain", "version": "1"}}, modern=False)["result"]
        same("initialize for %s" % wanted, given, result["protocolVersion"])
    same("with the server's name", "fisql", result["serverInfo"]["name"])
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    tools = server.ask("tools/list", modern=False)["result"]
    same("then tools are listed without a revision, and without what is new", {"tools"}, set(tools))
    same("the same tools", server.ask("tools/list")["result"]["tools"], tools["tools"])
    same("server/discover is not part of the older one", -32601, code(server.ask("server/discover", modern=False)))
    same("a resource that is not there, in the older one", -32002, code(server.ask("resources/read", {"uri": "fisql://x"}, modern=False)))
    same("and in the newest one", -32602, code(server.ask("resources/read", {"uri": "fisql://x"})))
    server.send({"jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": {"_meta": META, "notifications": {"toolsListChanged": True}}})
    first, second = server.read(), server.read()
    same("a subscription is confirmed for nothing", ("notifications/subscriptions/acknowledged", {}, 9),
         (first["method"], first["params"]["notifications"], first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]))
    same("and ends", (9, "complete"), (second["id"], second["result"]["resultType"]))
    same("the end of the input ends it, and it said nothing else", (0, ""), server.close())


def sent(what, line, expected, id=None):
    """A line that is answered by an error; then the server goes on."""
    server.send(line)
    answer = server.read()
    same(what, (expected, id), (code(answer), answer.get("id")))


def wrong_messages():
    request = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    sent("no JSON", b"hello", -32700)
    sent("half an object", b'{"jsonrpc": "2.0", "id": 1, "method": "pi', -32700)
    sent("JSON5", b"{jsonrpc: '2.0', id: 1, method: 'ping',}", -32700)
    sent("two values", b'{"jsonrpc": "2.0", "id": 1, "method": "ping"} {}', -32700)
    sent("a NUL", b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\0', -32700)
    sent("bytes that are not UTF-8", b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe"}', -32700)
    sent("an overlong sequence", b'{"jsonrpc": "2.0", "id": 1, "method": "\xc0\xaf"}', -32700)
    sent("a surrogate in UTF-8", b'{"jsonrpc": "2.0", "id": 1, "method": "\xed\xa0\x80"}', -32700)
    sent("deep nesting", b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": ' + b"[" * 100000 + b"]" * 100000 + b"}}", -32700)
    sent("a line of 300,000 bytes", json.dumps(dict(request, params={"a": "x" * 300000})).encode(), -32600)
    sent("a line of 20 MB", b"x" * 20000000, -32600)
    sent("a batch", [request, request], -32600)
    sent("an empty batch", [], -32600)
    for value in (b"1", b'"x"', b"null", b"true"):
        sent("the message %s" % value.decode(), value, -32600)
    sent("an empty object", {}, -32600)
    sent("another version of JSON-RPC", dict(request, jsonrpc="1.0"), -32600, 1)
    sent("none", {"id": 1, "method": "ping"}, -32600, 1)
    for id in (None, True, 1.5, [1], {"a": 1}, "x" * 300, "\x01" * 100):
        sent("the id %s" % json.dumps(id)[:20], dict(request, id=id), -32600)
    sent("an id of 30 digits", b'{"jsonrpc": "2.0", "id": 123456789012345678901234567890, "method": "ping"}', -32600)
    sent("a method that is no string", dict(request, method=5), -32600, 1)
    sent("no method", {"jsonrpc": "2.0", "id": 1}, -32600, 1)
    sent("params that are a list", dict(request, params=[1]), -32602, 1)
    sent("an unknown method", {"jsonrpc": "2.0", "id": 2, "method": "tools/destroy", "params": {"_meta": META}}, -32601, 2)
    sent("a method of 100,000 bytes", {"jsonrpc": "2.0", "id": 2, "method": "x" * 100000, "params": {"_meta": META}}, -32601, 2)
    for what, params in (("without a name", {}), ("with a name that is no string", {"name": 5}),
                         ("of an unknown tool", {"name": "destroy"}), ("of a tool that was not allowed", {"name": "record"}),
                         ("with arguments that are a list", {"name": "runs", "arguments": []})):
        sent("a call " + what, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": dict(params, _meta=META)}, -32602, 3)
    for cursor in ("x", "-1", "", "99999999999999999999", 5):
        sent("the cursor %r" % cursor, {"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"cursor": cursor, "_meta": META}}, -32602, 3)
    for uri in (None, 5, "", "fisql://schema/", "fisql://query/nothing", "file:///etc/passwd", "fisql://query/" + "x" * 100000):
        sent("the resource %r" % str(uri)[:30], {"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": uri, "_meta": META}}, -32602, 3)


def quiet_messages():
    for line in (b"", b"   \t", b"\r", {"jsonrpc": "2.0", "id": 5, "result": {}}, {"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": ""}},
                 {"jsonrpc": "2.0", "method": "notifications/whatever", "params": {}},
                 {"jsonrpc": "2.0", "method": "tools/list"},
                 {"jsonrpc": "2.0", "method": "notifications/cancelled"},
                 {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}},
                 {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 12345}}):
        server.send(line)
    answer = server.ask("server/discover", id="after")
    same("what wants no answer gets none", "after", answer["id"])
    for id in ("", "a\"b\\c", "\u00e4\u20ac\U0001f600", 0, -1, 2 ** 63 - 1, "x" * 250):
        same("the id %s comes back" % json.dumps(id)[:30], id, server.ask("ping", modern=False, id=id)["id"])
    server.send(b'{"jsonrpc": "2.0", "id": 5, "id": 6, "method": "ping"}\r')
    same("of a key that is there twice, the first one counts", 5, server.read()["id"])
    server.send(b'{"\\u006asonrpc": "2.0", "i\\u0064": 7, "method": "p\\u0069ng"}')
    same("escapes in keys and texts are read", (7, {}), (lambda m: (m["id"], m.get("result")))(server.read()))


def wrong_arguments():
    for what, tool, arguments, word in (
            ("an unknown argument", "sql", {"sql": "SELECT 1", "limi": 5}, "did you mean limit"),
            ("a missing one", "sql", {}, "sql: is missing"),
            ("a number as text", "query", {"name": "hot-functions", "limit": "5"}, "limit: wants an integer"),
            ("a fraction as a number of rows", "query", {"name": "hot-functions", "limit": 1.5}, "limit: wants an integer"),
            ("a text as a flag", "query", {"name": "hot-functions", "all_code": "yes"}, "wants true or false"),
            ("another word", "tree", {"by": "moon"}, "wants one of cpu|wall|wait"),
            ("a share beyond 100", "tree", {"min_percent": 200}, "from 0 to 100"),
            ("an unknown query", "query", {"name": "hot-function"}, "did you mean hot-functions"),
            ("an unknown parameter of a query", "query", {"name": "callers", "parameters": {"functon": "x"}}, "did you mean function"),
            ("a list as a parameter", "query", {"name": "callers", "parameters": {"function": ["x"]}}, "wants a number or a text"),
            ("an unknown column to sort by", "query", {"name": "callers", "sort": "moon"}, "moon"),
            ("an unknown function", "query", {"name": "callers", "function": "mian"}, "did you mean main"),
            ("a call that is not there", "call", {"id": 10 ** 12}, "there is no call"),
            ("a call below 1", "call", {"id": 0}, "from 1 on"),
            ("an unknown function's source", "source", {"function": "mian"}, "no such function"),
            ("a database that is not there", "digest", {"database": "nowhere.db"}, "No such file"),
            ("a file that is no database", "digest", {"database": "run.bin"}, "is a log, not a database"),
            ("a statement that is none", "sql", {"sql": "SELEKT 1"}, "syntax error"),
            ("two statements", "sql", {"sql": "SELECT 1; DELETE FROM calls"}, "more than one statement"),
            ("a change", "sql", {"sql": "DELETE FROM calls"}, "not authorized"),
            ("a file to attach", "sql", {"sql": "ATTACH 'other.db' AS o"}, "not authorized"),
            ("a pragma that sets", "sql", {"sql": "PRAGMA writable_schema = 1"}, "not authorized")):
        text, is_wrong = server.tool(tool, **arguments)
        check(is_wrong and word in text, "%s is an error of the tool: %s" % (what, word), text)
    text, is_wrong = server.tool("query", name="hot-functions", limit=None, function=None)
    check(not is_wrong, "null counts as not given", text)


def cancelling():
    server.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": {"name": "sql", "arguments": {"sql": ENDLESS}, "_meta": META}})
    server.send({"jsonrpc": "2.0", "id": "waits", "method": "tools/call", "params": {"name": "digest", "_meta": META}})
    server.send({"jsonrpc": "2.0", "id": "behind", "method": "ping"})
    same("while a statement runs, nothing is answered", None, server.read(1))
    begun = time.monotonic()
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "waits"}})
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long", "reason": "enough"}})
    same("cancelled, neither it nor what waited is answered, but what came behind", "behind", server.read()["id"])
    check(time.monotonic() - begun < 15, "soon: %.1f s" % (time.monotonic() - begun))
    same("and nothing more", None, server.read(0.5))


def crowding():
    server.send({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": {"name": "sql", "arguments": {"sql": ENDLESS}, "_meta": META}})
    time.sleep(0.3)
    for id in range(1, 301):
        server.send({"jsonrpc": "2.0", "id": id, "method": "ping"})
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 0}})
    answers = {}
    while len(answers) < 300:
        message = server.read()
        answers[message["id"]] = answers.get(message["id"], 0) + 1, "result" in message
    same("of 300 requests at once each has one answer", [1] * 300, [answers[id][0] for id in range(1, 301)])
    answered = sum(fine for _, fine in answers.values())
    check(64 <= answered < 300, "some are refused: %d are answered" % answered)
    same("and the next one is answered", {}, server.ask("ping", modern=False)["result"])


def ends():
    late = Server(fisql, "--max-time", "500ms", database)
    begun = time.monotonic()
    text, is_wrong = late.tool("sql", sql=ENDLESS)
    check(is_wrong and "limit of a request's time" in text, "a request ends at its limit of time", text)
    check(time.monotonic() - begun < 20, "soon: %.1f s" % (time.monotonic() - begun))
    rows = late.rows("sql", sql=ENDLESS.replace("sum(i)", "i"), limit=2)
    same("rows that came before are an answer", ([{"i": 1}, {"i": 2}], "at least"), (rows["rows"], rows["rows_left_out_is"]))
    late.close()
    half = subprocess.run([fisql, "mcp", database], input=b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n{"jsonrpc": "2.0", "id"',
                          capture_output=True, timeout=60)
    lines = [json.loads(line) for line in half.stdout.splitlines()]
    same("an input that ends in the middle: what was whole is answered", (0, [(1, None), (None, -32700)]),
         (half.returncode, sorted(((line.get("id"), line.get("error", {}).get("code")) for line in lines), key=str)))
    whole = subprocess.run([fisql, "mcp", database], input=b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}', capture_output=True, timeout=60)
    same("a last line without a newline is a line", 1, json.loads(whole.stdout)["id"])
    gone = subprocess.Popen([fisql, "mcp", database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    gone.stdout.close()
    gone.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    gone.stdin.flush()
    same("it ends when nobody reads", 2, gone.wait(60))
    gone.stdin.close()
    gone.stderr.close()
    leaves = Server(fisql, database)
    leaves.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sql", "arguments": {"sql": ENDLESS}, "_meta": META}})
    begun = time.monotonic()
    status, _ = leaves.close(60)
    same("the end of the input ends a statement, too", 0, status)
    check(time.monotonic() - begun < 28, "before its own limit: %.1f s" % (time.monotonic() - begun))


def mutations():
    """Lines of a sound session with bytes changed at random: each is answered at most once, and the server stays."""
    random.seed(40)
    sound = [json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sql", "arguments": {"sql": "SELECT 1"}, "_meta": META}}),
             json.dumps({"jsonrpc": "2.0", "id": "a\u20ac", "method": "resources/read", "params": {"uri": "fisql://query/callers", "_meta": META}}),
             json.dumps({"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}),
             json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})]
    lines = []
    for i in range(1500):
        line = bytearray(random.choice(sound).encode())
        for _ in range(random.randint(1, 4)):
            at = random.randrange(len(line))
            kind = random.randrange(4)
            if kind == 0:
                line[at] = random.randrange(256)
            elif kind == 1:
                del line[at:at + random.randint(1, 20)]
            elif kind == 2:
                line[at:at] = bytes(random.choice(b'{}[]":,0\\u\xff') for _ in range(random.randint(1, 8)))
            else:
                line[at:at] = line[random.randrange(len(line)):][:30]
        lines.append(bytes(line).replace(b"\n", b" "))
    with open("mutations.txt", "wb") as file:
        file.write(b"\n".join(lines) + b'\n{"jsonrpc": "2.0", "id": "last", "method": "ping"}\n')
    # The input stays open: what waits at its end has ten seconds, which are few under sanitizers.
    with subprocess.Popen(["sh", "-c", "cat mutations.txt -"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as input_open, \
            subprocess.Popen([fisql, "mcp", database], stdin=input_open.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        end = threading.Timer(600, server.kill)
        end.start()
        answers = []
        while not answers or answers[-1].get("id") != "last":
            line = server.stdout.readline()
            if not line:
                break
            answers.append(json.loads(line))
        input_open.stdin.close()
        answers += [json.loads(line) for line in server.stdout]
        words, status = server.stderr.read(), server.wait()
        end.cancel()
    same("after 1,500 lines changed at random it ends soundly", (0, b""), (status, words))
    check(0 < len(answers) <= 1501 and any(answer.get("id") == "last" for answer in answers), "each was answered at most once, and the last one: %d answers" % len(answers))


def lasting():
    """1,000 calls of all kinds: memory and descriptors are those of the first 200. Sanitizers keep freed memory, and
    see leaks themselves: under them there are fewer calls."""
    calls = 250 if "asan" in fisql else 1000
    often = (("sql", {"sql": "SELECT * FROM functions"}), ("queries", {}), ("sql", {"sql": "SELEKT"}), ("query", {"name": "nothing"}),
             ("queries", {"name": "callers"}), ("sql", {"sql": "SELECT 1", "database": "/etc/passwd"}), ("query", {"name": 5}))
    seldom = (("digest", {}), ("query", {"name": "hot-functions", "limit": 5}), ("tree", {}), ("call", {"id": 5}), ("source", {"function": "main"}),
              ("runs", {}), ("diff", {"before": database, "after": database}))
    lasting_server = Server(fisql, database)
    for i in range(calls):
        tool, arguments = seldom[i // 10 % len(seldom)] if i % 10 == 0 else often[i % len(often)]
        lasting_server.tool(tool, **arguments)
        if i % 100 == 50:
            lasting_server.send(b"{")
            lasting_server.read()
            lasting_server.ask("resources/list")
        if i == 199:
            memory, descriptors = lasting_server.memory_kib(), lasting_server.descriptors()
    same("%d calls leave no descriptor open" % calls, descriptors, lasting_server.descriptors())
    grown = lasting_server.memory_kib() - memory
    check(grown < 3000 or calls < 1000, "and no memory: %d KiB after 200 calls, %d more after %d" % (memory, grown, calls))
    same("it ends without a word", (0, ""), lasting_server.close())


beginning()
server = Server(fisql, database)
server.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "plain", "version": "1"}}, modern=False)
wrong_messages()
quiet_messages()
wrong_arguments()
cancelling()
crowding()
same("it ends without a word", (0, ""), server.close())
ends()
mutations()
lasting()
