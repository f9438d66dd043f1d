"""Logs in Python, written from docs/log-format.md alone: an independent reader of chunks and a writer
of well-formed and of hostile ones."""
import struct

HEADER = struct.Struct("<IHHIIQQQIIIIQQQQQIIIIQQ")
MAGIC, VERSION = 0x4C515346, 1
RUN, PROCESS, MODULES, THREAD, EVENTS, LOSS, END = range(1, 8)
MASK = (1 << 64) - 1


def checksum(data):
    lanes = [1, 2, 3, 4]
    data = data + b"\0" * (-len(data) % 32)
    for at in range(0, len(data), 32):
        for i, word in enumerate(struct.unpack_from("<4Q", data, at)):
            lane = lanes[i] ^ word
            lanes[i] = (((lane << 29) | (lane >> 35)) & MASK) * 0x9E3779B97F4A7C15 & MASK
    return lanes


def whole_checksum(data):
    total = len(data)
    for lane in checksum(data):
        total ^= lane
        total = (((total << 29) | (total >> 35)) & MASK) * 0x9E3779B97F4A7C15 & MASK
    return total ^ (total >> 32)


def chunks(log):
    """(offset, length, kind, header fields) of each chunk of a sound log."""
    at = 0
    while at < len(log):
        fields = HEADER.unpack_from(log, at)
        assert fields[0] == MAGIC and fields[3] >= HEADER.size
        yield at, fields[3], fields[2], fields
        at += fields[3]


def chunk(kind, payload=b"", process=1, pid=100, tid=100, thread=0, sequence=0, flags=0, run=7,
          version=VERSION, magic=MAGIC, clock=(0, 0), tick=0, first_call=0, base=0x10000, calls=0,
          units=0, open_calls=0, open_depth=0, heap=0, length=None, sound=True):
    payload += b"\0" * (-len(payload) % 8)
    length = HEADER.size + len(payload) if length is None else length

    def head(total):
        return HEADER.pack(magic, version, kind, length, flags, total, run, process, pid, tid, thread,
                           sequence, clock[0], clock[1], tick, first_call, base, calls, units,
                           open_calls, open_depth, heap, 0)
    return head(whole_checksum(head(0) + payload) if sound else 12345) + payload


def facts(**pairs):
    out = b""
    for key, value in pairs.items():
        value = value if isinstance(value, bytes) else str(value).encode()
        out += key.encode() + b"\0" + value + b"\0"
    return out + b"\0"


def units(*values):
    return struct.pack("<%dH" % len(values), *values)


def code(number):
    return number << 1 | 1


def wide(value, count):
    """A field of `count` units."""
    value &= (1 << 16 * count) - 1
    return [value >> 16 * i & 0xFFFF for i in range(count)]


def define(slot, function, site):
    return [code(0x4000 + slot)] + wide(function, 4) + wide(site, 4)


def enter(slot, delta=10):
    return [code(slot), delta]


def leave(delta=10):
    return [delta << 1]


def events(words, calls, opened=(), **more):
    snapshot = b"".join(struct.pack("<QQQ", *call) for call in opened)
    more.setdefault("open_calls", len(opened))
    more.setdefault("open_depth", len(opened))
    more.setdefault("clock", (1000, 5000))
    more.setdefault("units", len(words))
    return chunk(EVENTS, snapshot + units(*words), calls=calls, **more)


def preamble(module=b"/nonexistent/program", **process):
    told = dict(executable=module, command="program", parent_pid=1, parent_process=0, origin="start",
                start_tick=1, clock="tsc", ticks_per_second=1000000000, hook_inside_ps=0,
                hook_outside_ps=0)
    told.update(process)
    return (chunk(RUN, facts(command="program", version="0.1.0"), process=0) +
            chunk(PROCESS, facts(**told)) +
            chunk(MODULES, facts(module=module, event="load", bias="0", start="10000", end="20000")))
