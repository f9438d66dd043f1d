"""record --time sampled: main waits in one of two calls of leaf, of which neither has a time. Which one is not known, so
it is main's wait. In the next gap leaf stayed open: it is leaf's."""
from log import *

write(program(gap_ticks=20000),
      thread_facts(START, 1000),
      thread_chunk(
          define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10),
          enter(2, 0), leave(0), enter(2, 0), leave(0), enter(2, 0),
          gap(4000000, 1000 + 20000, waits=1), time_passes(4000000 - 1), define(3, OTHER, LEAF + 0x10), enter(3, 1), leave(0), leave(0),
          enter(2, 10), enter(3, 0), leave(0), gap(300000, 1000 + 40000, waits=2), time_passes(300000 - 1), leave(1), leave(10),
          flags=128))
