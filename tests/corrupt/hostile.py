#!/usr/bin/env python3
"""Hand-made hostile logs: each chunk is sound by its checksum and its header, and what it says is not.

    hostile.py FOLDER      writes NAME.bin for each case"""
import os
import struct
import sys

import log
from log import CODE, chunk, code, define, enter, events, facts, leave, preamble, wide

F, S = 0x10010, 0x10020
MODULE = dict(event="load", bias="0", start="10000", end="20000")
cases = {}


def case(name, *chunks):
    cases[name] = b"".join(chunks)


one = define(1, F, S) + enter(1) + leave()
case("plain", preamble(), events(one, 1))
case("huge-first-call", preamble(), events(one, 1, first_call=2**63 + 5, sequence=0xFFFFFFFF))
case("huge-counts", preamble(), events(one, 0x7FFFFFFF), events(one, 1, thread=1, units=0xFFFFFFFF))
case("parent-cycle", preamble(), chunk(log.PROCESS, facts(parent_process=2, origin="fork"), process=1),
     chunk(log.PROCESS, facts(parent_process=1, origin="fork"), process=2), events(one, 1),
     events(one, 1, process=2, flags=16))
case("own-parent", preamble(parent_process=1, origin="fork"), events(one, 1, flags=16))
case("ids-out-of-range", preamble(), events(enter(8191) + leave() + [code(CODE["COUNTED"]), 65535] + wide(9, 2) + wide(9, 4), 1),
     events([code(CODE["ALLOC"] + 31), 1, 65535, 8] + wide(5, 2), 0, thread=1))
case("depth-of-a-billion", preamble(), events(one, 1, opened=[(F, S, 1)] * 2, open_depth=1000000000),
     events(define(1, F, S) + [code(CODE["UNWIND"]), 1] + wide(1000000000, 2), 0, thread=1,
            opened=[(F, S, 1)] * 256, open_depth=0xFFFFFFFF))
case("deep", preamble(), *[events(define(1, F, S) + enter(1, 0) * 30000, 30000, sequence=i,
                                  first_call=30000 * i, open_depth=30000 * i if i else 0) for i in range(20)])
valued = define(1, F, S) + enter(1) + log.arguments(1, log.text("text")) + leave() + log.result(-1)
case("values-huge-first-call", preamble(), events(valued, 1, first_call=2**63 + 5, sequence=0xFFFFFFFF))
case("values-deep", preamble(), *[events(define(1, F, S) + (enter(1, 0) + log.arguments(log.text(b"\xff" * 60))) * 1800, 1800,
                                         sequence=i, first_call=1800 * i, open_depth=1800 * i if i else 0) for i in range(20)],
     events((leave(0) + log.result(log.text("\x01" * 200, cut=True))) * 36000, 0, sequence=20, first_call=36000, open_depth=36000))
case("values-many", preamble(), *[events([unit for i in range(1000) for unit in define(1, F + 1000 * chunk + i, S) + enter(1) +
                                          log.arguments(*[log.text("%d %d" % (chunk, i * k)) for k in range(30)]) + leave() +
                                          log.result(i)], 1000, sequence=chunk, first_call=1000 * chunk) for chunk in range(5)])
case("values-of-values", preamble(), events(define(1, F, S) + enter(1) + log.arguments(
    log.struct_bytes(b"\0" * 255), log.text(b"\xf0\x9f" * 90, cut=True), log.real(b"\xff" * 10), log.real(b"\0" * 16), log.real(b"\1" + b"\0" * 15),
    log.real(b"\xff" * 13 + b"\xfe\x7f\0"), log.real(b"\0" * 8 + b"\1\0"), log.real(b"\1" + b"\0" * 7 + b"\0\0")) + leave() +
    log.result(log.real(float("nan"), "f")), 1))
case("exits-only", preamble(), events(leave() * 1000, 0))
case("mismatches", preamble(), events(([code(CODE["MISMATCH"]), 1] + wide(F, 4) + wide(S, 4)) * 500, 0))
case("time-runs-wild", preamble(), events(define(1, F, S) + enter(1) + ([code(CODE["TIME"])] + wide(2**64 - 1, 4)) * 3 +
                                          leave() + [code(CODE["TIME"])] + wide(2**63, 4) + enter(1) + leave(), 2,
                                          tick=2**64 - 2))
case("clock-of-nothing", preamble(ticks_per_second=0, hook_inside_ps=2**63, hook_outside_ps="-5"),
     events(one, 1, clock=(2**64 - 1, 2**64 - 1)), events(one, 1, thread=1, clock=(0, 1)))
case("counted", preamble(), events(define(1, F, S) + ([code(CODE["COUNTED"]), 1] + wide(2**32 - 1, 2) + wide(2**64 - 1, 4)) * 40, 0))
case("memory", preamble(), events(
    define(1, F, S) + define(2, 0, S) + enter(1) +
    ([code(CODE["ALLOC_FULL"]), 1, 2] + wide(2**64 - 1, 4) + wide(2**64 - 1, 4)) * 3 +
    [code(CODE["ALLOC_FULL"]), 1, 2] + wide(2**63, 4) + wide(8, 4) +
    ([code(CODE["REALLOC"]), 1, 2] + wide(2**64 - 1, 4) + wide(2**63 - 1, 4) + wide(8, 4) + wide(8, 4)) * 3 +
    ([code(CODE["FREE_FULL"] + 16), 1, 2] + wide(2**64 - 1, 4)) * 5 + leave(), 1))
block = [code(CODE["ALLOC_FULL"]), 1, 2]  # ALLOC_FULL: a delta, the slot of its site; then size and address
sites = define(1, F, S) + define(2, 0, S)
case("impossible-block", preamble(), events(sites + enter(1) + leave(), 1),
     events(sites + enter(1) + block + wide(2**57 + 1, 4) + wide(4096, 4) + leave() + enter(1) + leave(), 2,
            sequence=1, first_call=1),
     events(sites + enter(1) + leave(), 1, sequence=2, first_call=3), events(sites + enter(1) + leave(), 1, thread=1))
case("impossible-realloc", preamble(), events(sites + enter(1) + leave(), 1),
     events(sites + block + wide(16, 4) + wide(4096, 4) + [code(CODE["REALLOC"]), 1, 2] + wide(5, 4) + wide(2**64 - 1, 4) +
            wide(4096, 4) + wide(8192, 4), 0, sequence=1, first_call=1))
case("largest-blocks", preamble(), events(
    sites + enter(1) + sum((block + wide(2**57, 4) + wide(i * 2**58, 4) for i in range(1, 60)), []) * 5 + leave(), 1))
case("overlapping-modules", preamble(), *[chunk(log.MODULES, facts(module="/nonexistent/%d" % i, **MODULE))
                                          for i in range(300)], events(one, 1))
case("module-of-everything", preamble(), chunk(log.MODULES, facts(
    module="/nonexistent/all", event="load", bias="ffffffffffffffff", start="0", end="ffffffffffffffff")),
     chunk(log.MODULES, facts(module="/x", event="load", bias="zz", start="-1", end="")), events(one, 1))
for name, path in (("device", b"/dev/zero"), ("fifo", b"fifo"), ("folder", b"/"), ("terminal", b"/dev/tty"),
                   ("proc", b"/proc/self/mem"), ("itself", b"module-itself.bin"), ("long", b"/" + b"x" * 70000)):
    case("module-" + name, preamble(module=path), events(one, 1))
case("control-characters", preamble(module=b"/\x1b[31mred\n\x07/'; DROP TABLE calls; --\xff\xfe"),
     chunk(log.RUN, facts(command=b"\x1b]0;title\x07\n$(reboot)`\xc0\xaf"), process=0),
     chunk(log.THREAD, facts(name=b"\x1b[2J\r\n\t\x7f\x9b")),
     events(one + [code(CODE["NOTE"]), 1, 9, *struct.unpack("<5H", b"\x1b[2J\n\x00\xff\x9b\x07\x00")], 1))
case("no-end-of-strings", preamble(), chunk(log.MODULES, b"module\0" + b"a" * 1001),
     chunk(log.PROCESS, b"x" * 800, process=9), chunk(log.END, b"how\0signal\0status\0" + b"9" * 300 + b"\0signal\0-1"),
     events(one, 1))
case("ten-thousand-processes", preamble(), *[events(one, 1, process=i + 2, pid=i + 2) for i in range(10000)])
case("threads-of-one-chunk", preamble(), *[events(one, 1, thread=i, tid=i) for i in range(3000)])
case("same-chunk-again", preamble(), *[events(one, 1)] * 3000)
case("sequence-backwards", preamble(), *[events(one, 1, sequence=i * 7 % 1000) for i in range(1000)])
# Headers that lie in one another, each with a wrong checksum: whoever tries each of them in full needs
# time that grows with the square of the log.
quine = b"".join(chunk(log.EVENTS, length=(1 << 24) - 128 * (i % 1000), sound=False) for i in range(150000))
case("quine-of-lengths", preamble(), events(one, 1), quine)
case("other-runs", preamble(), *[events(one, 1, run=i) for i in range(2000)])
case("unknown-kind", preamble(), chunk(9, b"x" * 64), chunk(0), chunk(65535), events(one, 1))
case("reserved-and-flags", preamble(), events(one, 1, flags=0xFFFFFFFF), events(one, 1, thread=1, flags=2 | 4 | 8))
case("lost", preamble(), chunk(log.LOSS, facts(reason=b"\x1b[1m", chunks=2**64, calls=-1, bytes="many", errno=99999)),
     events(one, 1))
case("live-beside", preamble(), events(one, 1))
for name, data in cases.items():
    with open(os.path.join(sys.argv[1], name + ".bin"), "wb") as file:
        file.write(data)
