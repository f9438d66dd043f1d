"""Two threads, whose calls interleave in time and whose chunks do in the file. Calls are numbered thread after
thread."""
from log import *

write(program(),
      thread_chunk(define(1, WORK, SHELL), enter(1, 15), thread=1, tid=101),
      thread_chunk(define(1, MAIN, SHELL), enter(1, 10), define(2, LEAF, MAIN + 0x10), enter(2, 10)),
      thread_chunk(define(1, LEAF, WORK + 0x10), enter(1, 10), leave(10), leave(10), thread=1, tid=101, sequence=1,
                   first_call=1, tick=START + 15, opened=[(WORK, SHELL, START + 15)]),
      thread_chunk(leave(10), leave(10), sequence=1, first_call=2, tick=START + 20,
                   opened=[(MAIN, SHELL, START + 10), (LEAF, MAIN + 0x10, START + 20)]),
      chunk(THREAD, facts(name="worker", start_tick=START + 15)),
      chunk(THREAD, facts(name="the \u2018late\u2019 one", start_tick=START + 15, end_tick=START + 60, how="exit"),
            thread=1, tid=101))
