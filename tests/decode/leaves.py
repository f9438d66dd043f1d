"""Calls that are written as one event (LEAF): enter and exit, without times. In a chunk with no times at all; and with some, where a timed call
of leaf stands for those before."""
from log import *

SAMPLED = 128
LEAF_AT, WORK_AT = MAIN + 0x10, MAIN + 0x20


def leaf(slot):
    return [code(CODE["LEAF"] + slot), 0]


write(program(), thread_chunk(
    define(1, MAIN, SHELL), enter(1, 10), define(2, LEAF, LEAF_AT), leaf(2), leaf(2),
    define(3, WORK, WORK_AT), enter(3, 0), leaf(2), leave(0), leaf(2),
    enter(2, 150), leave(40), leaf(2), leave(100),
    flags=SAMPLED), thread_chunk(
    define(1, MAIN, SHELL), enter(1, 0), define(2, LEAF, LEAF_AT), leaf(2), leaf(2), leave(0),
    flags=NO_TIME, thread=1, tid=101))
