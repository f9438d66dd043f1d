"""Values that belong to no call break their chunk: arguments behind an exit, a result behind an enter, either at a
chunk's start or behind another event, a second result, a third value of one, errno that is no integer, an unknown tag, more bytes than there are, 31 arguments."""
from log import *

ASTRAY = [
    [enter(1), leave(), arguments(1)],
    [enter(1), result(1)],
    [arguments(1)],
    [result(1)],
    [enter(1), time_passes(5), arguments(1)],
    [enter(1), arguments(1), arguments(1)],
    [enter(1), leave(), result(1), result(1)],
    [enter(1), leave(), note("text"), result(1)],
    [enter(1), enter(1), unwind(1), result(1)],
    [enter(1), arguments(b"\xa0")],
    [enter(1), arguments(b"\xa3\x00\x00")],
    [enter(2), arguments(*[1] * 31)],
    [enter(2), arguments(*[1] * 30), leave(), [code(0x6503), 0x2020, 0x20]],
    [enter(1), leave(), result(-1, pointer(0))],
]
write(program(), *[thread_chunk(define(1, MAIN, SHELL), define(2, WORK, SHELL), enter(1), arguments(thread), leave(), result(thread), *happened,
                                thread=thread, tid=100 + thread) for thread, happened in enumerate(ASTRAY)])
