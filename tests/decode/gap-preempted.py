"""leaf was put aside twice and gave the processor up once: what it lacks of the processor counts as put aside. In
the next gap it gave it up as often: it waited. Faults without input or output alone make no row."""
from log import *

write(program(gap_ticks=20000),
      thread_facts(START, 1000),
      thread_chunk(
          define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2),
          gap(4000000, 1000 + 20000, waits=1, preemptions=2), time_passes(4000000), leave(0),
          enter(2), gap(40000, 1000 + 30000, waits=2, preemptions=3), time_passes(40000), leave(0),
          gap(30000, 1000 + 60010, waits=2, preemptions=3, minor_faults=7), time_passes(30000), leave(0)))
