"""leaf waits for two pages of a file: a row for the faults, though less than 1 us was off the processor. Then 500 ns
without a fault: no row, and they have no place."""
from log import *

write(program(gap_ticks=20000),
      thread_facts(START, 0),
      thread_chunk(
          define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2),
          gap(30000, 29620, waits=2, minor_faults=1, major_faults=2), time_passes(30000), leave(0),
          gap(25000, 54120, waits=2, minor_faults=1, major_faults=2), time_passes(25000), leave(0)))
