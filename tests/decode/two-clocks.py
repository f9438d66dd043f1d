"""One process counts ticks of the TSC, another one reads CLOCK_MONOTONIC: pairs bring both to one time."""
from log import *

write(process(ticks_per_second=2000000000, clock="tsc") + module(),
      process(process=2, pid=200, clock="monotonic", start_tick=1000100, ticks_per_second=1000000000),
      module(process=2, pid=200),
      thread_chunk(define(1, MAIN, SHELL), enter(1, 400), leave(200), clock=(START, 1000000)),
      thread_chunk(define(1, WORK, SHELL), enter(1, 50), leave(100), process=2, pid=200, tid=200, tick=1000100,
                   clock=(1000300, 1000300)))
