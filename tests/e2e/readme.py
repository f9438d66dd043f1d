#!/usr/bin/env python3
"""Runs the commands of a page's console blocks, in order, in the current folder: readme.py PAGE

Prints `ok - command` or `not ok - command` for each: it must end with 0, and what it prints must have the
shape that the page shows: the same first line (a table's columns, with other numbers) and about as many lines.
With UPDATE=1 the page is rewritten with what the commands print now; the difference is for review."""
import os
import re
import subprocess
import sys

path = sys.argv[1]
text = open(path, encoding="utf-8").read()


def commands(block):
    """The (command, expected output) pairs of a block; a command goes on while a quote is open."""
    pairs = []
    for line in block.splitlines():
        if line.startswith("$ "):
            pairs.append([line[2:], []])
        elif pairs[-1][0].count('"') % 2 == 1:
            pairs[-1][0] += "\n" + line
        else:
            pairs[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in pairs]


def shape(output):
    """The first line without the widths of columns and the values of numbers, and the number of lines."""
    lines = output.splitlines()
    if len(lines) > 1 and lines[0].startswith(("\u250c", "\u256d")):  # a box's corner; newer shells' are round
        lines = lines[1:]
    first = re.sub(r"0x[0-9a-f]+|[-\d.]*\d", "N", lines[0]) if lines else ""
    return re.sub(r"\s+", " ", first).strip(), len(lines)


def run(match):
    out = []
    for command, expected in commands(match.group(1)):
        done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        actual = done.stdout + done.stderr
        same = shape(actual) == shape(expected) or os.environ.get("UPDATE") == "1"
        name = command.split("\n")[0]
        print(("ok" if done.returncode == 0 and same else "not ok"), f"- {os.path.basename(path)}:", name)
        if done.returncode != 0 or not same:
            print(f"status {done.returncode}\nexpected:\n{expected}\nactual:\n{actual}")
        out.append("$ " + command + "\n" + (actual if actual == "" or actual.endswith("\n") else actual + "\n"))
    return "```console\n" + "".join(out) + "```"


result = re.sub(r"```console\n(.*?)```", run, text, flags=re.S)
if os.environ.get("UPDATE") == "1":
    with open(path, "w", encoding="utf-8") as file:
        file.write(result)
