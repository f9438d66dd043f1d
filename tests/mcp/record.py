"""The tool record of `fisql mcp --allow-record`: record.py FISQL, in a folder with ./wordstat"""
import os
import sys
import time

from client import META, Server, check, same

(fisql,) = sys.argv[1:]


def running(word, program=False):
    """The processes whose command line has the word; program: those that it begins with, without `fisql record`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                words = file.read()
                if words.startswith(word) if program else word in words:
                    found.append(int(pid))
        except OSError:
            pass
    return found


server = Server(fisql, "--allow-record")
tools = server.ask("tools/list")["result"]["tools"]
check("record" in [tool["name"] for tool in tools], "with --allow-record, there is the tool record")
check(all(tool["annotations"]["readOnlyHint"] == (tool["name"] != "record") for tool in tools), "which alone is not read-only")
text, wrong = server.tool("record", command=["./wordstat"], name="agent")
check(not wrong and "exit status 0" in text and "agent.db" in text, "it records a program", text)
rows = server.rows("sql", sql="SELECT sum(calls) AS calls FROM threads", database="agent.db")["rows"]
check(rows[0]["calls"] > 10000, "and makes its database", rows)
check("agent.db" in [row["database"] for row in server.rows("runs")["rows"]], "which runs lists")
text, wrong = server.tool("record", command=["sh", "-c", "echo to stdout; echo to stderr >&2; cat; exit 3"], name="shell")
check(not wrong and "exit status 3" in text and "to stdout" in text and "to stderr" in text, "what it prints is in the answer, and it reads nothing", text)
text, wrong = server.tool("record", command=["sh", "-c", "yes hello"], name="loud", seconds=1)
check(not wrong and "limit that was given" in text and len(text) < 20000, "a program without an end is ended, and its output cut", text[:300])
text, wrong = server.tool("record", command=["./wordstat", "a b", "$(touch hacked)", "; touch hacked"], name="agent")
check(not os.path.exists("hacked"), "no shell reads the words", text)
text, wrong = server.tool("record", command=["./nothing"], name="agent")
check("agent.bin" not in os.listdir(".") and "no log" in text, "of a program that is not there nothing is recorded", text)
for what, arguments in (("an empty command", {"command": []}), ("a command of numbers", {"command": [1]}), ("a text", {"command": "ls"}),
                        ("a name with a slash", {"command": ["true"], "name": "../x"}), ("a name like an option", {"command": ["true"], "name": "-x"}),
                        ("a hidden name", {"command": ["true"], "name": ".x"}), ("no time", {"command": ["true"], "seconds": 0}),
                        ("a command of 300 words", {"command": ["true"] * 300})):
    text, wrong = server.tool("record", **arguments)
    check(wrong, "%s is refused: %s" % (what, text.strip()[:80]), text)
server.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call",
             "params": {"name": "record", "arguments": {"command": ["sleep", "4321"], "name": "sleeps"}, "_meta": META}})
until = time.monotonic() + 60
while not running(b"sleep\x004321", program=True) and time.monotonic() < until:
    time.sleep(0.1)
check(running(b"sleep\x004321", program=True), "a program that goes on runs")
server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}})
same("cancelled, it is not answered, but what comes behind", "next", server.ask("server/discover", id="next")["id"])
same("and it has ended", [], running(b"sleep\x004321"))
same("it ends without a word", (0, ""), server.close())
