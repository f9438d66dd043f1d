"""A thread's second chunk: its snapshot is what is open already, and opens nothing."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2)),
      thread_chunk(define(1, LEAF, WORK + 0x10), enter(1), leave(), leave(), leave(), sequence=1, first_call=2,
                   tick=START + 20, opened=[(MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 20)]))
