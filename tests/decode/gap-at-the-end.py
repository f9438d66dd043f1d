"""When the process ends, main is in leaf, a second thread has been blocked in work for 3 s, as its clock says, and a
third one computes there. All calls last to that end. Of the others the counters cannot be read."""
from log import *

END_TICK = START + 3000000100


def opened(thread):
    return thread_chunk(define(1, WORK, SHELL), enter(1, 100), thread=thread, tid=100 + thread, flags=SALVAGED)


write(program(gap_ticks=20000),
      thread_facts(START, 0),
      thread_facts(START, 0, thread=1, tid=101),
      thread_facts(START, 0, thread=2, tid=102),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2, 90)),
      opened(1), opened(2),
      thread_facts(END_TICK, 100 + 1000000, how="process-exit", waits=30),
      thread_facts(END_TICK, 100 + 2000, how="process-exit", counted=False, thread=1, tid=101),
      thread_facts(END_TICK, 100 + 3000000000, how="process-exit", counted=False, thread=2, tid=102),
      chunk(END, facts(how="exit", status=0, tick=END_TICK + 10)))
