"""Deltas that do not fit are preceded by TIME: an exit's has 15 bits, an enter's 16. The largest that fit, and
an hour."""
from log import *

HOUR = 3600 * 1000000000
write(program(), thread_chunk(
    define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10),
    enter(1, 0xFFFF), enter(2, 0), leave(0x7FFF),
    time_passes(HOUR - 7), enter(2, 7), time_passes(HOUR), leave(0), leave(1)))
