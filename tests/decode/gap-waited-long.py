"""leaf gave the processor up once and was put aside twice, but for a second: nobody is put aside for that long, so it
waited. In the next gap, of 0.1 s, it may have been."""
from log import *

write(program(gap_ticks=20000),
      thread_facts(START, 1000),
      thread_chunk(
          define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2),
          gap(1000000000, 1000 + 20000, waits=1, preemptions=2), time_passes(1000000000), leave(0),
          enter(2), gap(100000000, 1000 + 30000, waits=2, preemptions=4), time_passes(100000000), leave(0)))
