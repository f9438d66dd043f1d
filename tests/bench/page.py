#!/usr/bin/env python3
"""What a report page takes of the processor to open in Chromium: writes the section "Report page" of
docs/performance.md. page.py BUILD ROUNDS"""
import os
import re
import statistics
import subprocess

from common import fisql, machine, root, rounds, run, write_section


def opened(page):
    """The page's bytes and elements, and the seconds of processor time until it is drawn."""
    out = subprocess.run(["node", os.path.join(root, "tests/report/opens.mjs"), page, "page"], check=True,
                         capture_output=True, text=True).stdout
    found = re.search(r"(\d+) bytes, (\d+) elements, open after ([\d.]+) s", out)
    return int(found[1]), int(found[2]), float(found[3])


def made(name, script):
    for file in ("schema.sql", script):
        subprocess.run(["sqlite3", name + ".db"], check=True, stdin=open(os.path.join(root, file)))


open("empty.sql", "w").close()
made("empty", os.path.abspath("empty.sql"))
made("wide", "tests/report/wide.sql")
rows = {"empty": [], "wide": []}
for name in rows:
    run([fisql, "report", name + ".db", "-o", name + ".html"])
for _ in range(rounds):
    for name, seen in rows.items():
        seen.append(opened(os.path.abspath(name + ".html")))
lines = [f"`make bench-page`, {machine()}: the median of {rounds}. What the browser takes for itself is in all of them.", "",
         "| page | bytes | elements | processor time until it is drawn |", "|---|---|---|---|"]
texts = {"empty": "an empty database", "wide": "a run cut to its budget everywhere: 20,000 functions, 100,000 edges, 300 threads"}
for name, seen in rows.items():
    lines.append(f"| {texts[name]} | {seen[0][0]:,} | {seen[0][1]:,} | {statistics.median(one[2] for one in seen):.2f} s |")
write_section("Report page", lines)
