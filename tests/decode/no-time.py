"""Recorded without a clock: every delta is 0, calls have an order and no times."""
from log import *

write(program(clock="none"), thread_chunk(
    define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), enter(1, 0), enter(2, 0), leave(0), enter(2, 0), leave(0), leave(0),
    flags=NO_TIME, clock=(START, 0)))
