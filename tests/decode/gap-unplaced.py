"""The thread was put aside in calls that are too short for a reading: 50 us, of which 30 fit into the gap whose reading
tells them. The other 20 have no place."""
from log import *

write(program(gap_ticks=20000),
      thread_facts(START, 0),
      thread_chunk(
          define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2), leave(19000), enter(2), leave(19000),
          enter(2), gap(30000, 18040, preemptions=3), time_passes(30000), leave(0), leave()))
