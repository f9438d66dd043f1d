#!/usr/bin/env python3
"""Prints docs/agents.md: how agents use `fisql mcp`, with its tools as it lists them, and dialogues that it ran.

make-agents.py FISQL: builds docs/examples/words.c twice, records both, and asks `fisql mcp` about them. Figures
of time differ from run to run; tests/e2e/mcp.sh compares the rest of the page.
"""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "..", "tests", "mcp"))
from client import Server  # noqa: E402: it is beside the tests

HEAD = """# Agents

`fisql mcp` lets a coding agent ask about recorded runs. It speaks the [Model Context Protocol](https://modelcontextprotocol.io)
on standard input and output: revision 2026-07-28, and 2025-11-25 and 2025-06-18 for clients that begin with `initialize`.

    fisql run ./program     # makes run.db
    fisql mcp run.db        # started by the agent's tool, not by you

This page is made by `make agents`: the list of tools and the dialogues come from `fisql mcp` itself.

## Set up

Each client starts `fisql mcp` in the project's folder, where run.db is, or will be. If it starts elsewhere, give the
database's whole path. `fisql` has to be in the PATH that the client has; else write its whole path, too.

**Claude Code**, for everybody who works on the project (in .mcp.json), or without `--scope project` for yourself:

    claude mcp add --scope project fisql -- fisql mcp run.db

**Claude Desktop**, in claude_desktop_config.json (Settings, Developer, Edit Config), with whole paths:

```json
{"mcpServers": {"fisql": {"command": "/usr/local/bin/fisql", "args": ["mcp", "/home/me/project/run.db"]}}}
```

**Cursor**, in .cursor/mcp.json of the project, or ~/.cursor/mcp.json:

```json
{"mcpServers": {"fisql": {"command": "fisql", "args": ["mcp", "run.db"]}}}
```

**VS Code**, in .vscode/mcp.json:

```json
{"servers": {"fisql": {"type": "stdio", "command": "fisql", "args": ["mcp", "run.db"], "cwd": "${workspaceFolder}"}}}
```

**Codex**, by a command, or in ~/.codex/config.toml:

    codex mcp add fisql -- fisql mcp run.db

```toml
[mcp_servers.fisql]
command = "fisql"
args = ["mcp", "run.db"]
```

With `--allow-record` behind `mcp`, agents can also record: they run any program in the working folder, as they can with a shell.

## Limits

| what | limit |
| --- | --- |
| an answer, with all that is around it | 50,000 bytes (`--max-bytes`): rows and lines that do not fit are counted and named |
| rows | 50, or the tool's argument `limit`; those left out are counted, for two seconds at most, then "at least" |
| a text in a row | 2,000 columns; shortened ones are counted |
| a request | 30 s (`--max-time`), then its statement is stopped; a client can cancel it before |
| a message from the client | 262,144 bytes |
| requests that wait | 64; more are refused |
| memory of SQLite | 512 MiB; each temporary file 4 GiB |

Databases are opened read-only, and SQL of the agent's is one statement that may look at tables and views alone: no ATTACH,
no pragma that sets something, no extension. Only databases that were named on the command line or lie in the working folder
are opened. Source is read where the database says that it is, if the file has the ending of source code.

Rows are JSON as `fisql query --format json` has it; texts are what the commands print. Times are nanoseconds unless a unit is
given, without the cost of recording.
"""


def put(text):
    sys.stdout.write(text + "\n")


def tools(server):
    put("\n## Tools\n\n| tool | what it does | arguments |\n| --- | --- | --- |")
    listed = server.ask("tools/list")["result"]["tools"]
    for tool in listed:
        schema = tool["inputSchema"]
        arguments = ", ".join("`%s`%s" % (name, "" if name in schema["required"] else "?") for name in schema["properties"])
        put("| `%s` | %s | %s |" % (tool["name"], tool["description"], arguments))
    templates = server.ask("resources/templates/list")["result"]["resourceTemplates"]
    put("\nArguments with ? may be left out. Resources: `fisql://schema`, " +
        ", ".join("`%s` (%s)" % (template["uriTemplate"], template["description"].lower()) for template in templates) + ".")


def ask(server, tool, lines, **arguments):
    """Shows a call, and the first lines of its answer."""
    text = server.tool(tool, **arguments)[0].replace(server.folder, "/home/me/project")
    put("\n> `%s`%s\n" % (tool, " " + json.dumps(arguments) if arguments else ""))
    shown = [line.rstrip() for line in text.rstrip("\n").split("\n")]
    for line in shown[:lines]:
        put("    " + line if line else "")
    if len(shown) > lines:
        put("    ...")


def dialogues(server):
    put("\n## Dialogues\n\nAsked of two builds of [examples/words.c](examples/words.c), which counts the different words of a text. "
        "Of long answers the first lines are shown.")
    put("\n### Why is it slow?")
    ask(server, "digest", 4)
    ask(server, "query", 12, name="callers", function="same", limit=2)
    ask(server, "source", 14, function="is_known")
    put("\nThe agent: `is_known` compares a word with every other one, hundreds of thousands of times for 1,500 words. An index by a "
        "letter would do with a fraction of that.")
    put("\n### What does it not free?")
    ask(server, "query", 12, name="not-freed", limit=3)
    ask(server, "source", 12, function="add")
    ask(server, "sql", 8, sql="SELECT kind, count(*) AS blocks, sum(size) AS size_bytes FROM allocs WHERE free_ns IS NULL GROUP BY kind")
    put("\nThe agent: `add` copies each word, and forgets the copy if the word is known.")
    put("\n### Did the change help?")
    ask(server, "runs", 8)
    ask(server, "diff", 10, before="before.db", after="after.db", by="calls", limit=2)
    put("\nThe agent: yes. With an index, `same` is called some twenty times less often.")


def main():
    fisql = os.path.abspath(sys.argv[1])
    source = os.path.join(here, "examples", "words.c")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cp", source, folder], check=True)
        for name, flags in (("before", []), ("after", ["-DINDEXED"])):
            subprocess.run([fisql, "cc", "gcc", "-O1", "-g", "-o", "words", *flags, "words.c"], cwd=folder, check=True)
            subprocess.run([fisql, "record", "-q", "-o", name + ".bin", "./words"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            subprocess.run([fisql, "load", "-q", name + ".bin"], cwd=folder, check=True)
        server = Server(fisql, "--allow-record", "before.db", "after.db", folder=folder)
        put(HEAD.rstrip("\n"))
        tools(server)
        server.close()
        server = Server(fisql, "before.db", "after.db", folder=folder)
        server.folder = os.path.realpath(folder)
        dialogues(server)
        server.close()


main()
