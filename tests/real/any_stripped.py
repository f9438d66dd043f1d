#!/usr/bin/env python3
"""Compares how often the functions of stripped programs were called: recorded as they are, and seen by callgrind.

usage: any_stripped.py CALLGRIND.out "RUN.db..." MODULE...

A function is what the module's unwind information says of it; its calls are the calls of its first instruction and, because
callgrind has no symbols and so knows no tail calls, the jumps there from outside. callgrind has to be run with --dump-instr=yes
--compress-pos=no --collect-jumps=yes. Left out, and counted: what fisql has not patched, and what is called otherwise in each
recording (hash seeds). Where the program's start is nobody calls it; a jump of a function to its own beginning is a loop to fisql.

Prints each difference, and at the end `N functions, M calls` that are equal.
"""
import bisect
import collections
import os
import re
import sqlite3
import subprocess
import sys


def ranges_of(path):
    """Starts of functions, and where each ends."""
    text = subprocess.run(["readelf", "-wF", path], capture_output=True, text=True, check=False).stdout
    return sorted({(int(a, 16), int(b, 16)) for a, b in re.findall(r"FDE cie=\S+ pc=([0-9a-f]+)\.\.([0-9a-f]+)", text)})


def is_jump(path, address):
    """Is the instruction there a jump?"""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--start-address={address}", f"--stop-address={address + 16}", path],
                          capture_output=True, text=True, check=True).stdout
    return re.search(r"^ *%x:\s+(bnd )?j" % address, text, re.MULTILINE) is not None


def counts_of(path, modules):
    """Calls and jumps with their places, by the object's name and the addresses."""
    calls = collections.defaultdict(collections.Counter)
    jumps = collections.defaultdict(collections.Counter)
    objects, own, called, jumped, call = {}, None, None, None, None

    def object_of(text):
        number, _, name = text.strip().partition(" ")
        if name:
            objects[number] = os.path.basename(os.path.realpath(name))
        return objects.get(number, number)

    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition("=")
            if call is not None:
                number, target, name = call
                calls[name][int(line.split()[0], 16) if name == own else 0, target] += number
                call = None
            if jumped is not None:
                number, target = jumped
                jumps[own][int(line.split()[0], 16), target] += number
                jumped = None
            if key == "ob":
                own = object_of(value)
            elif key == "cob":
                called = object_of(value)
            elif key == "calls":
                number, address = value.split()[:2]
                call = int(number), int(address, 16), called or own
                called = None
            elif key == "jump":
                jumped = int(value.split()[0]), int(value.split()[1], 16)
            elif key == "jcnd":
                jumped = int(value.split()[0].split("/")[0]), int(value.split()[1], 16)
    return {name: calls[name] for name in modules}, {name: jumps[name] for name in modules}


def counts_in(databases, file, what):
    """Of each database a dictionary of what it has of the module's functions."""
    for path in databases:
        db = sqlite3.connect(path)
        places = {os.path.realpath(path): path for (path,) in db.execute("SELECT path FROM modules")}
        yield dict(db.execute(what, (places.get(file),)))


def main():
    callgrind, databases, paths = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
    modules = {os.path.basename(os.path.realpath(path)): os.path.realpath(path) for path in paths}
    calls, jumps = counts_of(callgrind, modules)
    same = total = left = 0
    for name, file in modules.items():
        runs = list(counts_in(databases, file, """SELECT f.address, sum(fr.calls) FROM frames fr JOIN functions f ON f.id = fr.function_id
            JOIN modules m ON m.id = f.module_id WHERE m.path = ? GROUP BY f.address"""))
        unhooked = next(counts_in(databases, file, """SELECT f.address, f.not_hooked FROM functions f JOIN modules m ON m.id = f.module_id
            WHERE m.path = ? AND f.not_hooked IS NOT NULL"""))
        ranges = ranges_of(file)
        starts = [start for start, _ in ranges]
        header = subprocess.run(["readelf", "-h", file], capture_output=True, text=True, check=True).stdout
        entry = int(re.search(r"Entry point address:\s+(\S+)", header)[1], 16)
        expected = collections.Counter()
        for kind in (calls[name], jumps[name]):
            for (source, target), number in kind.items():
                at = bisect.bisect_left(starts, target)
                if at == len(starts) or starts[at] != target or target == entry:
                    continue
                if target <= source < ranges[at][1] and (kind is jumps[name] or is_jump(file, source)):
                    continue
                expected[target] += number
        for address in sorted(set().union(expected, *runs)):
            seen = {run.get(address, 0) for run in runs}
            if address in unhooked or len(seen) > 1:
                left += 1
            elif seen != {expected[address]}:
                print(f"{name}+{address:#x}: callgrind {expected[address]}, fisql {seen.pop()}")
            elif expected[address]:
                same += 1
                total += expected[address]
    print(f"{same} functions, {total} calls, {left} left out")


main()
