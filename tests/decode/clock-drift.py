"""The collector measured 2 ticks a nanosecond; pairs ten seconds apart say 2.02, and win. A call between them lasts
as long as CLOCK_MONOTONIC says."""
from log import *

TEN_SECONDS = 10 * 1000000000
write(process(ticks_per_second=2000000000) + module(),
      thread_chunk(define(1, MAIN, SHELL), enter(1, 0), time_passes(20200000000), leave(0), clock=(START, 1000000)),
      thread_chunk(define(1, MAIN, SHELL), enter(1, 0), leave(20200), sequence=1, first_call=1, tick=START + 20200000000,
                   clock=(START + 20200000000, 1000000 + TEN_SECONDS)))
