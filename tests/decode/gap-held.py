"""leaf began in one chunk, which was written at its end: that took 5120 ns of processor time and kept the thread off the
processor for 60 us more. Of the 100 us until the next event the thread was on the processor for 15 us: so of the 85 us off
it 60 are the recording's. The gap has 25 us of one wait, for the other one was for the disk; held_ns is 60 us, and 65120 ns
are taken out of leaf and of main."""
from log import *

main, leaf = (MAIN, SHELL, START + 10), (LEAF, MAIN + 0x10, START + 20)
write(
    program(gap_ticks=20000, hook_inside_ps=0, hook_outside_ps=0),
    thread_facts(START, 1000),
    thread_chunk(define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), enter(1), enter(2)),
    thread_chunk(held(60000), gap(100000, 1000 + 15020, waits=2), time_passes(100000), leave(0), leave(30000), sequence=1,
                 first_call=2, tick=START + 20, opened=[main, leaf], cost=5120 // 256 << 50))
