"""main calls leaf twice. The second call's chunk took 5120 ns of processor time to write and kept the thread off the processor
for 434 ms more, for the disk was slow: 434005120 ns that are in the raw times of leaf and main, and in no adjusted one. Of
the 85 us off the processor that are left, the thread waited for all. tests/e2e/recording_gaps.sh shows this log, too."""
from log import *

main, leaf = (MAIN, SHELL, START + 10), (LEAF, MAIN + 0x10, START + 1000040)
write(
    program(gap_ticks=20000, hook_inside_ps=0, hook_outside_ps=0),
    thread_facts(START, 1000),
    thread_chunk(define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), enter(1), enter(2), time_passes(1000000), leave(0), enter(2)),
    thread_chunk(held(434000000), gap(434100000, 1000 + 1015020, waits=2), time_passes(434100000), leave(0), leave(30000), sequence=1,
                 first_call=3, tick=START + 1000040, opened=[main, leaf], cost=5120 // 256 << 50))
