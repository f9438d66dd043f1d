#!/usr/bin/env python3
"""Every query with every filter that it takes: the rows are among those without the filter, each names the
function that was asked for, and none of those that name it first is missing. filters.py FISQL DB FUNCTION
FILE MODULE prints what is wrong, then how many pairs were compared."""
import csv
import io
import subprocess
import sys

fisql, database, function, file, module = sys.argv[1:]


def rows(*arguments):
    done = subprocess.run([fisql, "query"] + list(arguments) + ["--format", "csv", "--limit", "1000000"],
                          capture_output=True, text=True)
    return done.returncode, list(csv.reader(io.StringIO(done.stdout)))[1:]


compared = 0
names = subprocess.run([fisql, "query", "--names"], capture_output=True, text=True, check=True).stdout.split()
for query in names:
    status, everything = rows(query, database)
    if status == 2:
        print(query, "fails")
        continue
    known = set(map(tuple, everything))
    for option, value in ("--function", function), ("--file", file), ("--module", module):
        status, filtered = rows(query, database, option, value)
        if status == 2:
            continue  # has no such filter
        compared += 1
        for row in filtered:
            if tuple(row) not in known:
                print(query, option, "adds", row[:5])
            if option == "--function" and not any(function in cell for cell in row):
                print(query, option, "keeps", row[:5])
        if option == "--function" and query not in ("modules", "memory-timeline"):
            for row in everything:
                if row[0] == function and row not in filtered:
                    print(query, option, "loses", row[:5])
print(compared, "compared")
