"""A thread that left facts and no event has no row. Facts that are told twice: the later ones count. A number
that is none is as if it were not told."""
from log import *

write(program(),
      chunk(THREAD, facts(name="silent", start_tick=START), thread=1, tid=101),
      chunk(THREAD, facts(name="first name", start_tick="soon")),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave()),
      chunk(THREAD, facts(name="last name", end_tick=START + 20, how="process-exit")),
      chunk(END, facts(how="exit", status="0x10", tick=-5)))
