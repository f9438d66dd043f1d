#!/usr/bin/env python3
"""Prints `file function count` for every function that gcov knows, sorted: gcov_counts.py FOLDER.

Reads gcov's JSON of every .gcda file in the folder (gcov --json-format, gcc 9 and newer)."""
import collections
import gzip
import json
import os
import subprocess
import sys

folder = sys.argv[1]
counts = collections.Counter()
for name in sorted(os.listdir(folder)):
    if not name.endswith(".gcda"):
        continue
    out = subprocess.run(["gcov", "--json-format", "--stdout", name], cwd=folder, check=True,
                         capture_output=True).stdout
    for line in out.splitlines():
        for file in json.loads(line)["files"]:
            for function in file["functions"]:
                key = (os.path.basename(file["file"]), function["name"])
                counts[key] += function["execution_count"]
for (file, function), count in sorted(counts.items()):
    print(file, function, count)
