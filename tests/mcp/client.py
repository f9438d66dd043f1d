"""A plain client of `fisql mcp`: lines to it, lines from it, each of which must be JSON-RPC."""
import json
import os
import select
import subprocess
import time

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "plain", "version": "1"},
}


class Server:
    """One run of `fisql mcp`. Answers are read with a time limit; a line that is no message fails."""

    def __init__(self, fisql, *arguments, folder=None):
        self.process = subprocess.Popen([fisql, "mcp", *arguments], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number = 0
        self.held = b""
        self.bytes = 0  # of the last line
        self.longest = 0

    def send(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else json.dumps(line).encode())
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def read(self, seconds=120):
        """The next message; None after the time, or at the end."""
        until = time.monotonic() + seconds
        while b"\n" not in self.held:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not more:
                return None
            self.held += more
        line, self.held = self.held.split(b"\n", 1)
        self.bytes = len(line)
        self.longest = max(self.longest, self.bytes)
        message = json.loads(line.decode("utf-8"))
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise ValueError("no message: %r" % line[:200])
        return message

    def ask(self, method, params=None, modern=True, id=None):
        if id is None:
            self.number += 1
            id = self.number
        params = dict(params or {})
        if modern:
            params["_meta"] = META
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        message = self.read()
        if message is None or message.get("id") != id:
            raise ValueError("no answer to %s: %r" % (method, message))
        return message

    def tool(self, tool, **arguments):
        """The text of a tool's answer, and whether it is an error."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        (content,) = result["content"]
        return content["text"], result["isError"]

    def rows(self, tool, **arguments):
        text, wrong = self.tool(tool, **arguments)
        if wrong:
            raise ValueError("%s: %s" % (tool, text))
        return json.loads(text)

    def close(self, seconds=60):
        """Ends the input. Returns the exit status and what was said on standard error."""
        self.process.stdin.close()
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "late"
        said = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return status, said

    def memory_kib(self):
        with open("/proc/%d/status" % self.process.pid) as file:
            return int(next(line for line in file if line.startswith("VmRSS")).split()[1])

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))


def check(condition, what, detail=""):
    print("%s - %s" % ("ok" if condition else "not ok", what))
    if not condition and detail != "":
        print("    " + str(detail)[:2000].replace("\n", "\n    "))
    return bool(condition)


def same(what, expected, actual):
    return check(expected == actual, what, "expected: %r\nactual:   %r" % (expected, actual))
