"""Readings that cannot be: a processor clock that goes back, a counter that does, more processor time than there was, a
gap of 2^64 - 1 ticks that is read in the far future, one that is longer than the time to the next event, a GAP behind
another one, the largest clock there is, and a GAP that no event follows. What goes back is no more than the base of the
reading after it; no call waits longer than it lasts, and what does not fit has no place."""
from log import *

MOST = (1 << 64) - 1


def call(*readings):
    """A call of leaf that lasts 30 us and ends with these readings."""
    return enter(2, 0) + [unit for reading in readings for unit in reading] + time_passes(30000) + leave(0)


write(program(gap_ticks=20000),
      thread_facts(START, 5000),
      thread_chunk(
          define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10),
          call(gap(30000, 4000, waits=1)), call(gap(30000, 5000, waits=2)),     # the clock goes back, then on: 29 us
          call(gap(30000, 6000, waits=1)), call(gap(30000, 7000, waits=2)),     # a counter goes back, then on
          call(gap(30000, 9000000, waits=3)), call(gap(30000, 9001000, waits=4)),  # too much, then 29 us again
          call(gap(MOST, 9002000, waits=5, reading=(1 << 32) - 1)),             # ends before it begins
          call(gap(30000, 9003000, waits=6)), call(gap(30000, 9004000, waits=7)),  # before the one in the far future
          call(gap(900000000, 9005000, waits=8)),                               # is cut to the call
          call(gap(30000, 9006000, waits=9)),
          call(gap(30000, 9006500, waits=10), gap(30000, 9007000, waits=11)),   # the second one counts
          call(gap(30000, 9008000, waits=(1 << 32) - 1)),                       # goes back by 12
          call(gap(30000, 9009000, waits=2)),                                   # goes on by 3
          call(gap(30000, MOST, waits=3)),
          gap(30000, MOST, waits=4)),
      thread_facts(START + 1000000, "18446744073709551616", how="exit", waits=1 << 33))
