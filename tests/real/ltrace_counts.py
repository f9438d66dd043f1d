"""Compares the library calls of a recording with what ltrace -c counted in another run of the same command.

library_calls.py DATABASE LTRACE-OUTPUT: a line for each function whose counts differ, then `N equal`. Names of one address
(open and open64) are one function. ltrace does not see functions that the dynamic linker chooses (IFUNC: memcpy, strlen),
nor those without a name in the linkage table: what it does not list is not compared."""
import re
import sqlite3
import subprocess
import sys


def names_of(library):
    """The address of each exported name."""
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout
    return {m[2].split("@")[0]: int(m[1], 16) for m in re.finditer(r"^([0-9a-f]+) [A-Za-z] (\S+)$", out, re.M)}


def main():
    database, listing = sys.argv[1:]
    counted = {}
    with open(listing, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            words = line.split()
            if len(words) >= 5 and re.fullmatch(r"[0-9.]+", words[0]) and words[3].isdigit():
                counted[words[4]] = int(words[3])
    rows = sqlite3.connect(database).execute(
        "SELECT m.path, f.address, group_concat(DISTINCT f.name), sum(s.calls) FROM function_stats s "
        "JOIN functions f ON f.id = s.function_id JOIN modules m ON m.id = f.module_id WHERE f.external GROUP BY 1, 2")
    exported, equal = {}, 0
    for path, address, name, calls in rows:
        names = exported.setdefault(path, names_of(path))
        alike = {other for other, at in names.items() if at == address} | {name}
        theirs = [counted[other] for other in alike if other in counted]
        if not theirs:
            continue
        if sum(theirs) == calls:
            equal += 1
        else:
            print(name, calls, sum(theirs))
    print(equal, "equal")


main()
