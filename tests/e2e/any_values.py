#!/usr/bin/env python3
"""Compares the arguments and results of two recordings of one program, call by call of each function.

    any_values.py EXPECTED.db FOUND.db

Prints each value of EXPECTED that FOUND has otherwise; a value that FOUND does not have is counted. Addresses count as
equal. The last line has the counts. Calls that FOUND does not have (inlined ones) are left out.
"""
import collections
import re
import sqlite3
import sys


def values_of(path):
    database = sqlite3.connect(path)
    calls, seen, values = {}, collections.Counter(), collections.defaultdict(dict)
    for call, name in database.execute(
        "SELECT c.id, f.name FROM calls c JOIN frames k ON k.id = c.frame_id JOIN functions f ON f.id = k.function_id ORDER BY c.id"
    ):
        calls[call] = (name, seen[name])
        seen[name] += 1
    for call, position, parameter, text in database.execute("SELECT call_id, position, parameter, text FROM call_arguments"):
        values[calls[call]][position] = (parameter, re.sub(r"0x[0-9a-f]+|&\w+(\+\d+)?", "ADDRESS", str(text)))
    return values, seen


def main():
    expected, expected_calls = values_of(sys.argv[1])
    found, found_calls = values_of(sys.argv[2])
    right = missing = 0
    for call, values in expected.items():
        # What is called less often was inlined in places: it is not known which call is which.
        if call not in found or expected_calls[call[0]] != found_calls[call[0]]:
            continue
        for position, (parameter, text) in values.items():
            other = found[call].get(position, (None, "?"))[1]
            if other == text:
                right += 1
            elif other == "?":
                missing += 1
            elif text != "?":
                print("%s, call %d: %s: expected %s, found %s" % (call + (parameter or "result", text, other)))
    print("%d right %d missing" % (right, missing))


main()
