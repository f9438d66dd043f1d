"""Checks an export against the database: export_check.py FORMAT FILE DB. Prints what it found as
`calls N`, `self N` and so on; wrong structure is an AssertionError."""
import gzip
import json
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools"))
import protobuf

format_, path, database = sys.argv[1:4]
ask = sqlite3.connect(database).execute


def perfetto(data):
    names, tracks, stacks, slices, counters, last = {}, {}, {}, 0, 0, {}
    for number, packet in protobuf.fields(data):
        assert number == 1, "not a trace packet"
        fields = protobuf.message(packet)
        assert fields[10] == 1 and 13 in fields, "sequence id and flags"
        if 12 in fields:
            for kind, entry in protobuf.fields(fields[12]):
                assert kind == 2
                entry = protobuf.message(entry)
                names[entry[1]] = entry[2].decode("utf-8", "replace")
        if 60 in fields:
            track = protobuf.message(fields[60])
            tracks[track[1]] = track
        if 11 not in fields:
            continue
        event, at = protobuf.message(fields[11]), fields[8]
        uuid = event[11]
        assert uuid in tracks, "an event on an unknown track"
        assert at >= last.get(uuid, 0), "time goes back on a track"
        last[uuid] = at
        if event[9] == 1:
            if 10 not in event:
                assert event[23] == b"recording" and stacks[uuid], "a gap of the recording lies in a call"
            stacks.setdefault(uuid, []).append(names[event[10]] if 10 in event else "")
            slices += 10 in event
        elif event[9] == 2:
            stacks[uuid].pop()
        else:
            assert event[9] == 4 and 30 in event
            counters += 1
    assert not any(stacks.values()), "a slice does not end"
    print("calls", slices)
    print("threads", sum(4 in track for track in tracks.values()))
    print("counters", counters > 0)
    print("name", "main" in names.values())


def chrome(data):
    events = json.loads(data)["traceEvents"]
    spans = {}
    for event in events:
        if event["ph"] == "X":
            spans.setdefault(event["tid"], []).append(
                (round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)))
    for thread in spans.values():
        open_ = []
        for start, end in thread:
            while open_ and open_[-1] <= start:
                open_.pop()
            assert not open_ or end <= open_[-1] + 1, "a call reaches over its caller's end"
            open_.append(end)
    print("calls", sum(event["ph"] == "X" and event.get("cat") != "fisql" for event in events))
    print("threads", sum(event["ph"] == "M" for event in events))
    print("counters", any(event["ph"] == "C" for event in events))
    print("name", any(event["name"] == "main" for event in events))


def speedscope(data):
    file = json.loads(data)
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = file["shared"]["frames"]
    calls = 0
    for profile in file["profiles"]:
        assert profile["type"] == "evented" and profile["unit"] == "nanoseconds"
        stack, at = [], 0
        for event in profile["events"]:
            assert at <= event["at"] <= profile["endValue"], "time goes back"
            at = event["at"]
            if event["type"] == "O":
                assert "name" in frames[event["frame"]]
                stack.append(event["frame"])
                calls += event["frame"] + 1 < len(frames)  # the last one is the recording
            else:
                assert stack.pop() == event["frame"], "another call ends"
        assert not stack, "a call does not end"
    print("calls", calls)
    print("threads", len(file["profiles"]))
    print("name", any(frame["name"] == "main" for frame in frames))


def folded(data):
    total = 0
    for line in data.decode("utf-8", "replace").splitlines():
        stack, _, number = line.rpartition(" ")
        assert stack and int(number) > 0
        total += int(number)
    print("sum", total)


def pprof(data):
    strings, locations, functions, sums = [], {}, {}, [0, 0, 0]
    samples = []
    for number, value in protobuf.fields(gzip.decompress(data)):
        if number == 6:
            strings.append(value.decode("utf-8", "replace"))
        elif number == 4:
            location = protobuf.message(value)
            locations[location[1]] = protobuf.message(location[4])[1]
        elif number == 5:
            function = protobuf.message(value)
            functions[function[1]] = function[2]
        elif number == 2:
            samples.append(protobuf.message(value))
    assert strings[0] == "" and 0 not in locations and 0 not in functions
    for sample in samples:
        ids, values = protobuf.varints(sample[1]), protobuf.varints(sample[2])
        assert len(values) == 3 and all(i in locations for i in ids)
        sums = [a + b for a, b in zip(sums, values)]
    assert all(function in functions for function in locations.values())
    print("calls", sums[0])
    print("self", sums[1])
    print("bytes", sums[2])
    print("name", any(strings[name] == "main" for name in functions.values()))


{"perfetto": perfetto, "chrome": chrome, "speedscope": speedscope, "folded": folded,
 "pprof": pprof}[format_](open(path, "rb").read())
