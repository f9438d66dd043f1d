"""Nobody read the clocks of a thread when its process ended: it counts as waiting from its last event on, if that is
longer ago than a gap takes. Not so where its facts say that it ended, without a reading, nor where recording had gone
off."""
from log import *


def opened(thread, *more, delta=100):
    return thread_chunk(define(1, WORK, SHELL), enter(1, delta), *more, thread=thread, tid=100 + thread)


write(program(gap_ticks=20000),
      opened(0), opened(1, delta=40000),
      opened(2), opened(3, pause()),
      chunk(THREAD, facts(name="ended", end_tick=START + 50000, how="process-exit"), thread=2, tid=102),
      chunk(END, facts(how="exit", status=0, tick=START + 60000)))
