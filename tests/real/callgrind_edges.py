#!/usr/bin/env python3
"""Prints `caller callee calls` for each edge of a callgrind file between functions that a list names.

usage: callgrind_edges.py CALLGRIND.out NAMES.txt
"""
import collections
import sys

with open(sys.argv[2], encoding="utf-8") as file:
    known = set(file.read().split())
names, edges, caller, callee = {}, collections.Counter(), None, None


def name_of(text):
    """`(12) name` defines a short name, `(12)` uses it; 'N at the end is a level of recursion."""
    number, _, name = text.strip().partition(" ")
    if name:
        names[number] = name.split("'")[0]
    return names.get(number, number)


with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        key, _, value = line.partition("=")
        if key == "fn":
            caller = name_of(value)
        elif key == "cfn":
            callee = name_of(value)
        elif key == "calls" and caller in known and callee in known:
            edges[caller, callee] += int(value.split()[0])
for (source, target), calls in sorted(edges.items()):
    print(source, target, calls)
