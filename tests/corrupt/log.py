"""Logs in Python, written from docs/log-format.md alone: an independent reader of chunks and a writer
of well-formed and of hostile ones."""
import os
import re
import struct
import sys

HEADER = struct.Struct("<IHHIIQQQIIIIQQQQQIIIIQQ")
MAGIC, VERSION = 0x4C515346, 7
RUN, PROCESS, MODULES, THREAD, EVENTS, LOSS, END, POINTS = range(1, 9)
NO_TIME, SALVAGED, RESUMED, RING, FORKED, PACKED = 1, 2, 4, 8, 16, 64
KINDS = {"malloc": 0, "calloc": 1, "realloc": 2, "memalign": 3, "aligned_alloc": 4, "posix_memalign": 5,
         "valloc": 6, "pvalloc": 7, "new": 8, "new[]": 9, "new(align)": 10, "new[](align)": 11, "free": 16,
         "delete": 17, "delete[]": 18, "delete(size)": 19, "delete[](size)": 20, "delete(align)": 21,
         "delete[](align)": 22}
MASK = (1 << 64) - 1


def read_events():
    """The events of docs/log-format.md: {name: code}, {name: units up to the first field without a length}, and
    {code: name} of all codes."""
    codes, units, names = {}, {}, {}
    many = {None: 1, "slot": 0x2000, "kind": 32, "bytes": 0x400, "byte": 0x100}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/log-format.md")
    with open(path, encoding="utf-8") as page:
        for line in page:
            row = re.match(r"\| (0x[0-9a-f]{4})(?: \+ (\w+))? \| (\w+) \| ([^|]*) \|", line)
            if row:
                first, name = int(row[1], 16), row[3]
                codes[name], units[name] = first, 1
                names.update((code, name) for code in range(first, min(first + many[row[2]], 0x8000)))
                for field in row[4].split():
                    if ":" not in field or field.startswith("point:"):
                        break
                    units[name] += int(field.split(":")[1])
    return codes, units, names


CODE, UNITS, NAMES = read_events()
PADDED = {"NOTE", "INCIDENT", "LOCK", "CHECKPOINT", "OBJECT"}  # their third unit says how many bytes follow


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
          units=0, open_calls=0, open_depth=0, heap=0, cost=0, length=None, sound=True):
    payload += b"\0" * (-len(payload) % 8)
    length = HEADER.size + len(payload) if length is None else length

    def head(total):
        return HEADER.pack(magic, version, kind, length, flags, total, run, process, pid, tid, thread,
                           sequence, clock[0], clock[1], tick, first_call, base, calls, units,
                           open_calls, open_depth, heap, cost)
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
    return [code(CODE["DEFINE_FAR"] + slot)] + wide(function, 4) + wide(site, 4)


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


def frame(content, size=None):
    """A zstd frame of one block that is not compressed (RFC 8878), which says that it holds `size` bytes."""
    return (struct.pack("<IBI", 0xFD2FB528, 0xA0, len(content) if size is None else size) +
            struct.pack("<I", 1 | len(content) << 3)[:3] + content)


def packed(words, calls, inside, **more):
    """Events whose chunk is packed: `inside` is what stands in place of them."""
    more.setdefault("clock", (1000, 5000))
    return chunk(EVENTS, inside, calls=calls, units=len(words), flags=PACKED, **more)


# ---- events, one function each: lists of units, to be put one behind another

def near(slot, function, site, base=0x10000):
    return [code(CODE["DEFINE_NEAR"] + slot)] + wide(function - base, 2) + wide(site - base, 2)


def define_site(slot, site):
    """The dictionary entry of a place that memory is allocated or freed at."""
    return define(slot, 0, site)


def time_passes(ticks):
    return [code(CODE["TIME"])] + wide(ticks, 4)


def enter_full(function, site, delta=10):
    return [code(CODE["ENTER_FULL"]), delta] + wide(function, 4) + wide(site, 4)


def unwind(calls, delta=10):
    return [code(CODE["UNWIND"]), delta] + wide(calls, 2)


def mismatch(function, site, delta=10):
    return [code(CODE["MISMATCH"]), delta] + wide(function, 4) + wide(site, 4)


def note(text, delta=10):
    text = text if isinstance(text, bytes) else text.encode()
    padded = text + b"\0" * (len(text) % 2)
    return [code(CODE["NOTE"]), delta, len(text), *struct.unpack("<%dH" % (len(padded) // 2), padded)]


def checkpoint(point, *values, delta=10):
    """What a macro of fisql_trace.h left."""
    content = struct.pack("<I", point) + b"".join(integer(value) if isinstance(value, int) else value for value in values)
    padded = content + b"\0" * (len(content) % 2)
    return [code(CODE["CHECKPOINT"]), delta, len(content), *struct.unpack("<%dH" % (len(padded) // 2), padded)]


def paused(delta=10):
    return [code(CODE["PAUSED"]), delta]


def resumed(delta=10):
    return [code(CODE["RESUMED"]), delta]


def scope(slot, point, site):
    """The dictionary entry of a scope made by hand."""
    return define(slot, 0xF150000000000000 + point, site)


def fault(rule, site, delta=10):
    return [code(CODE["FAULT"]), delta, rule] + wide(site, 4)


def incident(kind, text=b"", signal=0, flags=0, address=0, place=0, caller=None, delta=10):
    """Kind 0 is more text of the one before, 8 its pointers. flags: 4 where there is a caller."""
    text = text if isinstance(text, bytes) else text.encode()
    payload = (struct.pack("<BBBQQ", kind, signal, flags, address, place) if kind not in (0, 8) else bytes([kind]))
    payload += (b"" if caller is None else struct.pack("<Q", caller)) + text
    padded = payload + b"\0" * (len(payload) % 2)
    return [code(CODE["INCIDENT"]), delta, len(payload), *struct.unpack("<%dH" % (len(padded) // 2), padded)]
def said(kind, site, address, what=b"", delta=10):
    """OBJECT, with a state's text, a number, or nothing."""
    rest = what if isinstance(what, bytes) else struct.pack("<q", what)
    payload = struct.pack("<BQQ", kind, site, address) + rest
    padded = payload + b"\0" * (len(payload) % 2)
    return [code(CODE["OBJECT"]), delta, len(payload), *struct.unpack("<%dH" % (len(padded) // 2), padded)]


def keep(site, address, state, delta=10):
    return said(1 if isinstance(state, int) else 0, site, address, state, delta)


def ref(site, address, count, delta=10):
    return said(2, site, address, count, delta)


def unref(site, address, count, delta=10):
    return said(3, site, address, count, delta)


def gone(site, address, delta=10):
    return said(4, site, address, b"", delta)


def tell(site, address, delta=10):
    return said(5, site, address, b"", delta)
def lock(what, number, kind=0, mode=0, site=0, thread=0, other=0, point=0, other_site=0, numbers=(), guards=(), delta=10):
    """docs/log-format.md, "Locks"."""
    record = struct.pack("<BBBBIQIIQQ", what, kind, mode, len(guards), number, site, thread, other, point, other_site)
    record += struct.pack("<%dQ" % len(numbers), *numbers) + struct.pack("<%dI" % len(guards), *guards)
    record = record.rstrip(b"\0")
    padded = record + b"\0" * (len(record) % 2)
    return [code(CODE["LOCK"]), delta, len(record), *struct.unpack("<%dH" % (len(padded) // 2), padded)]


def counted(slot, calls, ticks):
    return [code(CODE["COUNTED"]), slot] + wide(calls, 2) + wide(ticks, 4)


def counted_short(slot, calls, ticks):
    return [code(CODE["COUNTED_SHORT"] + slot), calls, ticks]


def pause(delta=10):
    return [code(CODE["PAUSE"]), delta]


def gap(ticks, cpu, waits=0, preemptions=0, minor_faults=0, major_faults=0, reading=0):
    """What the thread's clocks said `reading` ticks after the event that follows, which comes `ticks` after the one
    before."""
    return ([code(CODE["GAP"])] + wide(ticks, 4) + wide(reading, 2) + wide(cpu, 4) + wide(waits, 2) + wide(preemptions, 2) +
            wide(minor_faults, 2) + wide(major_faults, 2))


def held(ticks):
    """Writing the chunk before kept the thread off the processor for so long."""
    return [code(CODE["HELD"])] + wide(ticks, 4)


def alloc(slot, address, size, kind="malloc", delta=10, heap=0):
    return [code(CODE["ALLOC"] + KINDS[kind]), delta, slot, size] + wide((address - heap) // 16, 2)


def alloc_full(slot, address, size, kind="malloc", delta=10):
    return [code(CODE["ALLOC_FULL"] + KINDS[kind]), delta, slot] + wide(size, 4) + wide(address, 4)


def free(slot, address, kind="free", delta=10, heap=0):
    return [code(CODE["FREE"] + KINDS[kind]), delta, slot] + wide((address - heap) // 16, 2)


def free_full(slot, address, kind="free", delta=10):
    return [code(CODE["FREE_FULL"] + KINDS[kind]), delta, slot] + wide(address, 4)


def realloc(slot, old, address, size, elapsed=4, delta=10):
    return [code(CODE["REALLOC"]), delta, slot] + wide(elapsed, 4) + wide(size, 4) + wide(old, 4) + wide(address, 4)


def integer(value):
    """A value, as bytes: the shortest form of an integer."""
    for tag, low, size in ((0, -32, 0), (0xA1, -1 << 15, 2), (0xA2, -1 << 31, 4), (0xA3, -1 << 63, 8)):
        if size == 0 and -32 <= value <= 127:
            return bytes([value + 32])
        if size and low <= value < -low:
            return bytes([tag]) + value.to_bytes(size, "little", signed=True)
    return b"\xa4" + value.to_bytes(8, "little")


def pointer(address):
    size = 0 if address == 0 else 6 if address < 1 << 48 else 8
    return bytes([{0: 0xA7, 6: 0xA5, 8: 0xA6}[size]]) + address.to_bytes(size, "little")


def real(value, form="d"):
    """A float of 8 bytes, of 4 (form "f"), or of the 10 or 16 bytes that `value` has."""
    if isinstance(value, bytes):
        return bytes([{10: 0xAA, 16: 0xAB}[len(value)]]) + value
    return bytes([0xA8 if form == "f" else 0xA9]) + struct.pack("<" + form, value)


def struct_bytes(content):
    return bytes([0xAC, len(content)]) + content


def text(content, cut=False):
    content = content if isinstance(content, bytes) else content.encode()
    if len(content) < 64 and not cut:
        return bytes([0xC0 + len(content)]) + content
    return bytes([0xAE if cut else 0xAD]) + struct.pack("<H", len(content)) + content


ABSENT, UNREADABLE, NO_ROOM = b"\xb0", b"\xb1", b"\xb2"


def values_event(long, short, values):
    content = b"".join(integer(value) if isinstance(value, int) else value for value in values)
    if len(content) == 1:
        return [code(short + content[0])]
    padded = content + b"\0" * (len(content) % 2)
    return [code(long + len(content)), *struct.unpack("<%dH" % (len(padded) // 2), padded)]


def arguments(*values):
    """Behind an enter. A value is an int, or what one of the functions above gives."""
    return values_event(CODE["ARGUMENTS"], CODE["ARGUMENTS_SHORT"], values)


def result(value, *errno):
    """Behind an exit."""
    return values_event(CODE["RESULT"], CODE["RESULT_SHORT"], [value, *errno])


def calls_in(words):
    """The calls that a chunk's units enter, read on their own."""
    calls = at = 0
    while at < len(words):
        number = words[at] >> 1
        name = NAMES.get(number)
        if words[at] % 2 == 0:
            length = 1
        elif name in PADDED:
            length = UNITS[name] + (words[at + 2] + 1) // 2
        elif name in ("ARGUMENTS", "RESULT"):
            length = UNITS[name] + (number - CODE[name] + 1) // 2
        else:
            length = UNITS.get(name, 3)
        calls += words[at] % 2 == 1 and name in ("ENTER", "ENTER_FULL", "LEAF")
        at += length
    return calls


def preamble(module=b"/nonexistent/program", **process):
    told = dict(executable=module, command="program", parent_pid=1, parent_process=0, origin="start",
                start_tick=1, clock="tsc", ticks_per_second=1000000000, hook_inside_ps=0,
                hook_outside_ps=0)
    told.update(process)
    return (chunk(RUN, facts(command="program", version="0.1.0"), process=0) +
            chunk(PROCESS, facts(**told)) +
            chunk(MODULES, facts(module=module, event="load", bias="0", start="10000", end="20000")))


# ---- whole logs of well-formed chunks, for tests/decode: ticks are nanoseconds, the run starts at START

START = 1000
SHELL = 0x19010                                         # calls come from here where nothing is known
MAIN, WORK, LEAF, OTHER = 0x1A000, 0x1B000, 0x1C000, 0x1D000  # functions of the program: a, b, c, d
MODULE = "/nonexistent/program"


def process(origin="start", process=1, pid=100, **told):
    """The facts of a process. process= and pid= go into the chunk's header."""
    told = dict(dict(executable=MODULE, origin=origin, start_tick=START), **told)
    return chunk(PROCESS, facts(**told), process=process, pid=pid)


def module(path=MODULE, event="load", bias=0, start=0x10000, end=0x20000, tick=None, **head):
    told = dict(module="" if event == "unload" else path, event=event, bias="%x" % bias, start="%x" % start,
                end="%x" % end)
    return chunk(MODULES, facts(**told, **({} if tick is None else {"tick": tick})), **head)


def program(**told):
    """A process that starts, and its module."""
    return process(ticks_per_second=1000000000, **told) + module()


def thread_facts(tick, cpu, how=None, waits=0, preemptions=0, minor_faults=0, major_faults=0, counted=True, **head):
    """A thread's facts at its start or, with `how`, at its end, with what its clocks said then."""
    told = dict(name="thread", start_tick=START, **({} if how is None else dict(end_tick=tick, how=how)),
                cpu_tick=tick, cpu_ns=cpu)
    if counted:
        told.update(waits=waits, preemptions=preemptions, minor_faults=minor_faults, major_faults=major_faults)
    return chunk(THREAD, facts(**told), **head)


def thread_chunk(*happened, calls=None, **head):
    """A chunk of a thread's events, each a list of units."""
    words = [unit for event in happened for unit in event]
    head.setdefault("tick", START)
    head.setdefault("clock", (START, 1000000))
    return events(words, calls_in(words) if calls is None else calls, **head)


def write(*chunks):
    """Writes the log to the file that the program's argument names."""
    with open(sys.argv[1], "wb") as file:
        file.write(b"".join(chunks))
