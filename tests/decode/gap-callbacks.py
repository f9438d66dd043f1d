"""leaf began, and then a callback of the program (fisql_on_call) ran for 40 us and was off the processor for 20 us. Of the
100 us until the next event the thread was on the processor for 55 us, of which 15 us are leaf's: of the 45 us off it 20 are
the callback's. The gap has 25 us of one wait; held_ns is 20 us, and 60 us are taken out of leaf and of main. A second
callback that never ends by the log's word is not believed beyond the time that passed: 30 us of main."""
from log import *

write(
    program(gap_ticks=20000, hook_inside_ps=0, hook_outside_ps=0),
    thread_facts(START, 1000),
    thread_chunk(define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), enter(1), enter(2), held(1 << 63 | 40000), held(20000),
                 gap(100000, 1000 + 55020, waits=2), time_passes(100000), leave(0), held(1 << 63 | 1000000), leave(30000)))
