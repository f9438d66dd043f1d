"""Pauses: one with a callee in it, which is not paused; one that its callee ends, one that begins in a paused call's
callee, one that lasts to its call's end; twice PAUSED is one; what is outside of calls, or not paused, is nothing. What
the thread waits in a pause is in no self time."""
from log import *

write(program(gap_ticks=50), thread_facts(START, 0), thread_chunk(
    paused(), resumed(), define(1, MAIN, SHELL), define(2, WORK, MAIN + 0x10), define(3, LEAF, WORK + 0x10),
    enter(1, 20), resumed(), paused(), enter(2, 30), leave(100), resumed(5),
    enter(2), gap(1000, 60, waits=1), paused(1000), gap(2000, 70, waits=2), resumed(2000), leave(3),
    paused(), paused(7), enter(3, 40), resumed(9), leave(6), enter(2), paused(), enter(3, 8), paused(2), leave(11), leave(13),
    leave(17)))
