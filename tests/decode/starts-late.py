"""A thread's start is its first event, however late in its first chunk, or the entry of a call that was
open before it: definitions and time that passes are no events of their own."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), time_passes(5000), time_passes(70000), enter(1, 30), leave(10)),
      thread_chunk(leave(20), thread=1, tid=101, sequence=3, first_call=9, tick=START + 300,
                   opened=[(MAIN, SHELL, START + 120)]))
