"""leaf sleeps for 300 us, called by work, which recurses, called by main: the clock stood still in it for 290 us. The
sleep is told by a GAP before the exit that ended it, 2 us before the clock was read; the time counts once for each
function, for it lies in the outermost activation. Later work computes for 100 us, which is no row; then the thread
waits where no call is open."""
from log import *

write(program(gap_ticks=20000),
      thread_facts(START, 7000),
      thread_chunk(
          define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2), define(3, WORK, WORK + 0x20), enter(3),
          define(4, LEAF, WORK + 0x30), enter(4),
          gap(300000, 7000 + 12040, waits=1, minor_faults=3, reading=2000), time_passes(300000), leave(0),
          leave(),
          gap(100000, 7000 + 112050 + 50, waits=1, minor_faults=3), time_passes(99990), leave(),
          leave(),
          gap(50000, 7000 + 112200, waits=2, minor_faults=4), time_passes(50000), enter(1, 0), leave()),
      thread_facts(START + 450200, 7000 + 112300, how="exit", waits=2, minor_faults=4))
