#!/usr/bin/env python3
"""Damaged copies of a log: loads each, and compares what fisql says with what is known of the damage.

    damage.py FISQL RUN.bin COPIES SEED      works in the current folder, prints ok / not ok lines

A chunk of the sound log that stands unchanged in the copy is sound; what lies between such chunks is a
hole. So the holes are known without fisql: each must be a row of `losses` with its offset and length,
and each sound chunk's calls must be there."""
import random
import sqlite3
import subprocess
import sys

import log as logs

fisql, path, copies, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sound = open(path, "rb").read()
layout = list(logs.chunks(sound))
random.seed(seed)


def damage(number):
    """(description, damaged bytes, chunks that are still whole)"""
    data = bytearray(sound)
    way = ("cut", "bit", "zeros", "header", "garbage", "bits")[number % 6]
    if way == "cut":
        at = random.randrange(1, len(data))
        del data[at:]
    elif way == "bit" or way == "bits":
        for _ in range(1 if way == "bit" else random.randrange(2, 40)):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    elif way == "zeros":
        at = random.randrange(len(data))
        count = min(random.choice([1, 64, 4096, 200000]), len(data) - at)
        data[at:at + count] = bytes(count)
    elif way == "header":
        at = random.choice(layout)[0]
        field = random.randrange(0, 128)
        for i in range(field, min(field + random.choice([1, 2, 4, 8]), 128)):
            data[at + i] = random.randrange(256)
    else:
        at = random.randrange(len(data))
        count = min(random.choice([8, 512, 4096]), len(data) - at)
        data[at:at + count] = random.randbytes(count)
    data = bytes(data)
    whole = [c for c in layout if data[c[0]:c[0] + c[1]] == sound[c[0]:c[0] + c[1]]]
    return way, data, whole


def holes_of(data, whole):
    holes, at = [], 0
    for offset, length, _, _ in whole:
        if offset > at:
            holes.append((at, offset - at))
        at = offset + length
    if at < len(data):
        holes.append((at, len(data) - at))
    return holes


def known(condition, what, wrong):
    if not condition:
        wrong.append(what)


def check(way, data, whole):
    """What is wrong with the load of a damaged copy: an empty list if nothing is."""
    wrong = []
    open("damaged.bin", "wb").write(data)
    done = subprocess.run([fisql, "load", "-o", "damaged.db", "damaged.bin"], capture_output=True,
                          timeout=60, text=True, errors="replace")
    holes = holes_of(data, whole)
    if not whole:
        known(done.returncode == 2, "status %d, nothing is sound" % done.returncode, wrong)
        return wrong
    known(done.returncode == (1 if holes else done.returncode), "status %d" % done.returncode, wrong)
    known(done.returncode in (0, 1), "status %d: %s" % (done.returncode, done.stderr), wrong)
    if done.returncode not in (0, 1):
        return wrong
    known(bool(done.stderr.strip()), "nothing is said", wrong)
    database = sqlite3.connect("damaged.db")
    ask = lambda sql: database.execute(sql).fetchall()
    known(ask("PRAGMA integrity_check") == [("ok",)], "integrity_check", wrong)
    told = sorted(ask("SELECT offset, bytes FROM losses WHERE offset IS NOT NULL AND reason IN ('damaged', 'truncated')"))
    known(told == holes, "holes %s, told %s" % (holes, told), wrong)
    events = [c for c in whole if c[2] == logs.EVENTS]
    calls = sum(c[3][17] for c in events)
    found = ask("SELECT count(*) FROM calls")[0][0]
    snapshots = sum(c[3][19] for c in events)
    known(calls <= found <= calls + snapshots, "calls %d, sound chunks hold %d (+%d open ones)" % (found, calls, snapshots), wrong)
    known(found == ask("SELECT coalesce(sum(calls), 0) FROM threads")[0][0], "threads.calls", wrong)
    known(not ask("SELECT 1 FROM calls c JOIN calls p ON p.id = c.parent_id WHERE c.id > p.id + p.descendants LIMIT 1"),
          "a call lies outside its parent", wrong)
    lost = ask("SELECT coalesce(sum(calls), 0) FROM losses WHERE reason = 'missing chunk'")[0][0]
    known(lost <= sum(c[3][17] for c in layout) - calls, "lost calls %d" % lost, wrong)
    database.close()
    return wrong


bad, ways = [], {}
for number in range(copies):
    way, data, whole = damage(number)
    ways[way] = ways.get(way, 0) + 1
    try:
        wrong = check(way, data, whole)
    except subprocess.TimeoutExpired:
        wrong = ["does not end"]
    if wrong:
        bad.append("copy %d (%s): %s" % (number, way, "; ".join(wrong)))
for line in bad[:10]:
    print("#", line)
print("%s - %d damaged copies (%s): each sound chunk is loaded, each hole named" % (
    "not ok" if bad else "ok", copies, ", ".join("%d %s" % (n, w) for w, n in sorted(ways.items()))))
