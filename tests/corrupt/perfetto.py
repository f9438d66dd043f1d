#!/usr/bin/env python3
"""Writes traces of Perfetto field by field, from the .proto files of https://github.com/google/perfetto alone.

  perfetto.py kinds FILE    every form of track events, tracks, clocks and interned data that fisql takes
  perfetto.py clocks FILE   clocks as Chrome has them: each sequence's is related to CLOCK_MONOTONIC, the trace's own
  perfetto.py boot FILE     the same in a trace whose own clock is CLOCK_BOOTTIME, which a first snapshot relates
  perfetto.py bad FILE      packets that are not sound among sound ones
"""
import struct
import sys
import zlib


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def packet(*parts, at=None, sequence=1, flags=2):
    time = number(8, at) if at is not None else b""
    return data(1, time + number(10, sequence) + number(13, flags) + b"".join(parts))


def event(kind, *parts, track=None):
    return data(11, number(9, kind) + (number(11, track) if track is not None else b"") + b"".join(parts))


BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
BASE = 1_000_000_000


def kinds():
    process = data(3, number(1, 10) + data(2, "/usr/bin/shop") + data(6, "shop"))
    thread = data(4, number(1, 10) + number(2, 11) + data(5, "till"))
    out = [
        packet(data(60, number(1, 100) + process), flags=1),
        packet(data(60, number(1, 101) + number(5, 100) + thread)),
        packet(data(60, number(1, 102) + number(5, 101) + data(2, "a track of its own"))),
        packet(data(59, data(11, number(11, 101)))),  # the default track of the sequence
    ]
    annotations = [
        data(4, data(10, "bool") + number(2, 1)),
        data(4, data(10, "uint") + number(3, (1 << 64) - 1)),
        data(4, data(10, "int") + number(4, -7)),
        data(4, data(10, "double") + double(5, 2.5)),
        data(4, data(10, "text") + data(6, "words")),
        data(4, data(10, "pointer") + number(7, 4096)),
        data(4, data(10, "json") + data(9, "{}")),
        data(4, number(1, 3) + number(17, 9)),
        data(4, data(10, "dict") + data(11, data(10, "a") + number(4, -5))
             + data(11, data(10, "list") + data(12, data(6, "x")))),
    ]
    interned = data(12, data(2, number(1, 1) + data(2, "first")) + data(3, number(1, 3) + data(2, "interned"))
                    + data(29, number(1, 9) + data(2, "shared")))
    out += [
        packet(interned, event(BEGIN, number(10, 1), *annotations), at=BASE),
        # what the sequence said is void from here on
        packet(data(59, data(11, number(11, 101))), data(12, data(2, number(1, 1) + data(2, "second"))),
               event(BEGIN, number(10, 1)), at=BASE + 1000, flags=3),
        packet(event(BEGIN, data(23, "named"), track=101), at=BASE + 2000),
        packet(event(INSTANT, data(23, "now"), track=101), at=BASE + 2500),
        packet(event(END, track=101), at=BASE + 3000),
        packet(event(END, track=101), at=BASE + 4000),
        packet(event(END, track=101), at=BASE + 5000),
        packet(event(BEGIN, data(23, "own track"), track=102), at=BASE + 9000),
        packet(event(END, track=102), at=BASE + 9500),
        # counters: integers in units of 1000, floats, differences
        packet(data(60, number(1, 200) + number(5, 100) + data(2, "temperature") + data(8, number(4, 1000)))),
        packet(event(COUNTER, number(30, 42), track=200), at=BASE + 6000),
        packet(data(60, number(1, 201) + number(5, 100) + data(2, "cpu") + data(8, b""))),
        packet(event(COUNTER, double(44, 0.5), track=201), at=BASE + 6000),
        packet(data(60, number(1, 202) + number(5, 100) + data(2, "sum") + data(8, number(5, 1)))),
        packet(event(COUNTER, number(30, 3), track=202), at=BASE + 6000),
        packet(event(COUNTER, number(30, 4), track=202), at=BASE + 6500),
        # another sequence, whose clock counts microseconds from the packet before
        packet(data(6, data(1, number(1, 6) + number(2, BASE + 10000))
                    + data(1, number(1, 64) + number(2, 0) + number(3, 1) + number(4, 1000))), sequence=2, flags=1),
        packet(data(59, number(58, 64) + data(11, number(11, 101))), sequence=2),
        packet(event(BEGIN, data(23, "clocked")), at=10, sequence=2),
        packet(event(END), at=5, sequence=2),
        # an old event with a phase, on the thread of an old descriptor
        packet(data(44, number(1, 10) + number(2, 12) + data(5, "old")), sequence=3, flags=1),
        packet(data(12, data(2, number(1, 5) + data(2, "legacy"))),
               data(11, data(6, number(1, 5) + number(2, ord("X")) + number(3, 4))), at=BASE + 7000, sequence=3),
    ]
    packed = packet(event(BEGIN, data(23, "packed"), track=101), at=BASE + 30000) + packet(event(END, track=101), at=BASE + 31000)
    out.append(data(1, data(50, zlib.compress(packed))))
    return b"".join(out)


def clocks(primary=number(2, 3)):
    monotonic, boot, own = 3, 6, 64
    suspended = 5_000_000_000
    thread = data(4, number(1, 10) + number(2, 11) + data(5, "till"))

    def reading(clock, value, *more):
        return data(1, number(1, clock) + number(2, value) + b"".join(more))
    return b"".join([
        packet(data(6, reading(boot, BASE + suspended) + reading(monotonic, BASE) + primary), flags=1),
        packet(data(60, number(1, 101) + thread)),
        packet(data(6, reading(monotonic, BASE + 10000) + reading(own, 7, number(3, 1), number(4, 1000))), sequence=2, flags=1),
        packet(data(59, number(58, own) + data(11, number(11, 101))), sequence=2),
        packet(event(BEGIN, data(23, "clocked")), at=10, sequence=2),
        packet(data(5, b""), at=4, sequence=2),  # of a kind that has no event: it moves the clock all the same
        packet(event(END), at=6, sequence=2),
        packet(number(58, monotonic), event(BEGIN, data(23, "mixed"), track=101), at=BASE + 40000, sequence=3, flags=1),
        packet(number(58, boot), event(END, track=101), at=BASE + suspended + 45000, sequence=3),
        # a clock of the sequence that nothing relates to any other one
        packet(number(58, own), event(BEGIN, data(23, "timeless"), track=101), at=10, sequence=4, flags=1),
        packet(number(58, own), event(END, track=101), at=10, sequence=4),
    ])


def bad():
    sound = packet(event(BEGIN, data(23, "sound"), track=1), at=BASE) + packet(event(END, track=1), at=BASE + 10)
    return sound + data(1, b"\x07\x07\x07") + data(1, data(50, b"no zlib")) + packet(event(BEGIN, number(10, 77), track=1), at=BASE + 20) + sound


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as file:
        file.write({"kinds": kinds, "clocks": clocks, "boot": lambda: clocks(b""), "bad": bad}[sys.argv[1]]())
