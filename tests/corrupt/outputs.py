#!/usr/bin/env python3
"""Hostile names in every format: a small run in which all names are one such text, through the commands
that print names. What was printed is read as its readers do: no hidden character, as many lines as with a
harmless name, JSON and CSV with the exact text, Markdown's cells with what tables show, drawings that hold it.

    outputs.py FISQL SCHEMA.sql FIXTURE.sql [brief]      works in the current folder, prints ok / not ok lines

With `brief` each name goes through a third of the commands, in turns."""
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as xml

fisql, schema_path, fixture_path = sys.argv[1:4]
brief = "brief" in sys.argv[4:]
csv.field_size_limit(1 << 30)
KINDS = {
    "a harmless name": b"name",
    "escape sequences": b"a\x1b[31m\x1b]0;title\x07b",
    "C1 controls": "a\u0080\u009b31m\u0085b".encode(),
    "turned order": "a\u202ecod\u2066.exe\u2069b".encode(),
    "unseen characters": "a\u200b\ufeff\u00ad\U000e0041b".encode(),
    "characters that XML has not": "a\ufffe\uffffb".encode(),
    "bytes that are not UTF-8": b"a\xff\xc3(\xe2\x80b\xed\xa0\x80",
    "lines": b"a\nforged line\r\nanother\rb\tc",
    "the end of a script": b"</script><script>alert(1)</script>",
    "the start of a comment": b"<!--<script>",
    "quotes and backslashes": b"\"a\\\"'b'\\",
    "a pipe behind a backslash": b"a\\| | b|",
    "Markdown": b"`a` **b** ~~c~~ [d](http://x.invalid) ![e](f) <img src=x onerror=y> _g_ $h$ #1",
    "entities": b"a&#8238;b&lt;c&amp;d",
    "a formula": b"=HYPERLINK(\"http://x.invalid\",\"a\")",
    "another formula": b"@SUM(1,2)",
    "an order to Mermaid": b"%%{init:{'a':1}}%%",
    "a graph's syntax": b"\"];n1->n2[label=\"x",
    "separators": b"a;b 1 => c",
    "a format": b"%s%n%d{0}${x}",
    "a long name": b"long name " * 200,  # hostile_db.sh has one of a megabyte
}
# Commands, by what reads them. The name of function 2, with what it calls and who calls it.
QUERY = ["query", "call-counts"]
COMMANDS = {
    "text": [QUERY, ["query", "--all"], ["digest"], ["info"], ["stack", "4"], ["stack", "10"], ["trace"], ["tree"],
             ["diff", "plain.db"], ["diff", "--tree", "--all", "plain.db"], ["diff", "--first-divergence", "plain.db"],
             ["diff", "plain.db", "--check", "calls>+10%"], ["query", "losses-of-mine"],
             ["export", "--format", "folded"], ["export", "--format", "callgrind"], ["whatif"], ["history", "block", "1"]],
    "json": [QUERY + ["--format", "json"], ["whatif", "--format", "json"], ["history", "block", "1", "--format", "json"], ["diff", "plain.db", "--format", "json"], ["export", "--format", "chrome"],
             ["export", "--format", "speedscope"]],
    "csv": [QUERY + ["--format", "csv"]],
    "markdown": [QUERY + ["--format", "markdown"], ["query", "--all", "--format", "markdown"],
                 ["diff", "plain.db", "--format", "markdown"], ["review"]],
    "dot": [["export", "--format", "dot"]],
    "mermaid": [["export", "--format", "mermaid"]],
    "protobuf": [["export", "--format", "perfetto"]],
    "page": [["report", "-o", "-"], ["report", "-o", "-", "--diff", "plain.db"]],
    "svg": [["review", "--picture", "x.svg"]],
}
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff\U000e0000-\U000e0fff]")
pageless = os.path.exists(os.path.join(os.path.dirname(fisql), "gen", "report_missing"))


def make(path, name):
    if os.path.exists(path):
        os.unlink(path)
    database = sqlite3.connect(path)
    database.executescript(open(schema_path).read())
    database.executescript(open(fixture_path).read())
    text = "CAST(x'%s' AS TEXT)" % name.hex()
    database.executescript("""
        UPDATE functions SET name = %s, full_name = NULL, linkage_name = NULL WHERE id = 2;
        UPDATE threads SET name = %s WHERE id = 2;
        UPDATE files SET path = %s, name = %s WHERE id = 2;
        UPDATE modules SET path = %s, name = %s WHERE id = 2;
        UPDATE processes SET command = %s;
        INSERT INTO run VALUES ('command', %s);
        INSERT INTO losses(reason, detail) VALUES ('damaged', %s);""" % ((text,) * 9))
    database.commit()
    database.close()


def shown(name):
    """The name as people are to see it."""
    def one(letter):
        if "\udc80" <= letter <= "\udcff":
            return "\\x%02x" % (ord(letter) - 0xdc00)
        return letter if not HIDDEN.match(letter) and letter != "\n" else \
            "\\x%02x" % ord(letter) if ord(letter) < 0x80 else "<U+%04X>" % ord(letter)
    return "".join(one(letter) for letter in name.decode("utf-8", "surrogateescape"))


def cells(line):
    """Of a line of a table in Markdown, unescaped; None where something in it is not text."""
    found = [""]
    text = line.strip()[1:]
    for part in re.findall(r"\\[!-/:-@\[-`{-~]|.", text):
        if part == "|":
            found.append("")
        elif len(part) == 1 and part in "`*<>[]&~$#":
            return None
        else:
            found[-1] += part[-1]
    return [cell.strip() for cell in found[:-1]]


def wrong_markdown(out, name):
    lines = [line for line in out.split("\n") if not line.startswith(("> ", "!["))]
    width = None
    for line in lines:
        if not line.startswith("|"):
            width = None
            if re.search(r"(?<!\\)(<[a-z!/]|&[#a-z]|\]\()", re.sub(r"`[^`]*`", "", line)):
                return "a line that is not text alone: %s" % line[:200]
            continue
        if re.match(r"^\|[ :|-]+\|$", line):
            continue
        row = cells(line)
        if row is None or (width or len(row)) != len(row):
            return "a row whose cells are not text alone: %s" % line[:200]
        width = len(row)
    if len(name) < 40 and name.strip() == name and not any(shown(name) in (cells(l) or []) for l in lines if l.startswith("|")):
        return "no cell has the name"
    return None


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


def drawn(tree):
    """The text of a drawing, without what only breaks its lines."""
    return re.sub(r"\s", "", "".join(tree.itertext()))


def wrong(kind, out, name):
    replaced = name.decode("utf-8", "surrogateescape")
    replaced = re.sub("[\udc80-\udcff]", "\ufffd", replaced)
    whole = len(name) < 1000
    if kind == "protobuf":
        return None if replaced.encode() in out else "it lacks the name in UTF-8"
    if kind == "csv":
        rows = list(csv.reader(io.StringIO(out.decode("utf-8", "surrogateescape"), newline="")))
        exact = name.decode("utf-8", "surrogateescape")
        return None if len({len(row) for row in rows}) == 1 and any(exact in row for row in rows) else "it lacks the exact name"
    text = out.decode("utf-8", "replace") if kind == "page" else out.decode("utf-8")
    if kind == "page":
        text = text.partition('id="data"')[2].partition(">")[2].partition("</script>")[0]
        if "<" in text:
            return "< in the page's data"
    found = HIDDEN.search(text)
    if found:
        return "%r in %r" % (found.group(), text[max(0, found.start() - 40):found.end() + 20])
    if kind in ("json", "page"):
        return None if not whole or replaced in strings(json.loads(text)) else "it lacks the exact name"
    if kind == "markdown":
        return wrong_markdown(text, name)
    if kind == "svg":
        xml.fromstring(open("x.svg", "rb").read())
    if kind == "mermaid":
        labels = re.findall(r'^  n\d+\["([^"]*)"\]$', text, re.M)
        if len(labels) != 6 or any(re.search(r"%%|[`\\<>]", label.replace("<br>", "")) for label in labels):
            return "a label that is not text alone: %s" % text[:600]
    if kind == "dot" and whole:
        done = subprocess.run(["dot", "-Tsvg"], input=out, capture_output=True)
        plain = re.sub(r"\s", "", shown(name))
        if done.returncode != 0 or done.stderr:
            return done.stderr.decode("utf-8", "replace")[:300]
        if "<U+" not in plain and "\\x" not in plain and plain not in drawn(xml.fromstring(done.stdout)):
            return "the drawing lacks the name"
    return None


make("plain.db", b"harmless")
harmless = {}
os.makedirs("config/fisql/queries", exist_ok=True)
open("config/fisql/queries/losses-of-mine.sql", "w").write("SELECT reason, detail FROM losses\n")
environment = dict(os.environ, XDG_CONFIG_HOME=os.path.abspath("config"), LC_ALL="C.UTF-8")
for number, (label, name) in enumerate(KINDS.items()):
    make("run.db", name)
    found = []
    turn = number
    for kind, commands in COMMANDS.items():
        if kind == "page" and pageless or kind == "dot" and not shutil.which("dot"):
            continue
        for command in commands:
            turn += 1
            if brief and number > 0 and turn % 3:  # the first tells how many lines there are to be
                continue
            done = subprocess.run([fisql, *command, "run.db"], capture_output=True, env=environment, timeout=120)
            try:
                problem = "says %r" % done.stderr[:200] if done.returncode not in (0, 1) else wrong(kind, done.stdout, name)
                if not problem and HIDDEN.search(done.stderr.decode()):
                    problem = "hidden characters on stderr"
            except (ValueError, xml.ParseError) as error:
                problem = str(error)
            lines = done.stdout.count(b"\n")
            key = " ".join(command)
            if kind in ("text", "markdown", "json") and command[0] not in ("digest", "diff") and "--all" not in command:
                if lines != harmless.setdefault(key, lines):
                    problem = problem or "%d lines, and %d with a harmless name" % (lines, harmless[key])
            if problem:
                found.append("%s: %s" % (key, problem))
    print("%s - names in every format: %s" % ("not ok" if found else "ok", label))
    for line in found:
        print("    " + line.replace("\n", "\n    "))
    sys.stdout.flush()
