#!/usr/bin/env python3
"""Compares a database that fisql made of a Perfetto trace of Chrome's with the trace itself, field by field from the .proto
files of https://github.com/google/perfetto: foreign_perfetto_oracle.py TRACE DATABASE. Slices that have both ends, by
process and thread: their number and the sum of their times. Prints what differs, and a line with the sums."""
import os
import sqlite3
import sys
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from protobuf import fields, message

MONOTONIC, SEQUENCE_FIRST = 3, 64


class Trace:
    """Events by track: (time, place, type)."""

    def __init__(self, data):
        self.events = defaultdict(list)
        self.tracks = {}
        self.defaults = {}
        self.clocks = {}
        self.place = 0
        for field, packet in fields(data):
            if field == 1:
                self.take(packet)

    def take(self, data):
        packet = message(data)
        sequence = packet.get(10, 0)
        if packet.get(41) or packet.get(13, 0) & 1:
            self.defaults.pop(sequence, None)
        if 59 in packet:
            given = message(packet[59])
            self.defaults[sequence] = (given.get(58, MONOTONIC), message(given.get(11, b"")).get(11))
        if 6 in packet:
            readings = [message(value) for field, value in fields(packet[6]) if field == 1]
            for now in [reading[2] for reading in readings if reading[1] == MONOTONIC]:
                for reading in readings:
                    self.clocks[sequence, reading[1]] = [now, reading]
        if 60 in packet:
            track = message(packet[60])
            self.tracks.setdefault(track[1], {}).update(track)
        clock, track = self.defaults.get(sequence, (MONOTONIC, None))
        time = self.time(sequence, packet.get(58, clock), packet[8]) if 8 in packet else None
        if 11 not in packet:
            return
        event = message(packet[11])
        if event.get(9) in (1, 2):
            self.events[event.get(11, track)].append((time, self.place, event[9]))
            self.place += 1

    def time(self, sequence, clock, stamp):
        if clock < SEQUENCE_FIRST:
            return stamp
        related = self.clocks[sequence, clock]
        reading = related[1]
        if reading.get(3):
            related[0] += stamp * reading.get(4, 1)
            return related[0]
        return related[0] + (stamp - reading[2]) * reading.get(4, 1)

    def sums(self):
        sums = defaultdict(lambda: [0, 0])
        for uuid, events in self.events.items():
            thread = message(self.tracks.get(uuid, {}).get(4, b""))
            mine = sums[thread[1], thread[2]] if thread else sums["tracks that are no thread's"]
            begun = []
            for time, _, kind in sorted(events):
                if kind == 1:
                    begun.append(time)
                elif begun:
                    mine[0] += 1
                    mine[1] += time - begun.pop()
        return sums


want = Trace(open(sys.argv[1], "rb").read()).sums()
others = want.pop("tracks that are no thread's", [0, 0])
got = {(pid, tid): [calls, ns] for pid, tid, calls, ns in sqlite3.connect(sys.argv[2]).execute(
    """SELECT p.pid, t.tid, count(*), sum(c.duration_ns) FROM calls c JOIN threads t ON t.id = c.thread_id
       JOIN processes p ON p.id = t.process_id WHERE c.ended = 0 GROUP BY 1, 2""")}
for thread in sorted(want) if others == [0, 0] else []:
    if want[thread][0] and want[thread] != got.get(thread):
        print(thread, want[thread], got.get(thread))
total = [sum(each[i] for each in want.values()) + others[i] for i in (0, 1)]
print("same" if total == [sum(each[i] for each in got.values()) for i in (0, 1)] else "differ", total[0])
