"""Pairs that lie 50 us apart are too near to give the rate, for each is read with an error: what the collector
measured counts, by which it is 40 us."""
from log import *

write(process(ticks_per_second=2000000000) + module(),
      thread_chunk(define(1, MAIN, SHELL), enter(1, 0), time_passes(80000), leave(0), clock=(START, 1000000)),
      thread_chunk(define(1, MAIN, SHELL), enter(1, 0), leave(200), sequence=1, first_call=1, tick=START + 80000,
                   clock=(START + 80000, 1000000 + 50000)))
