"""Of three chunks the second is missing: 40 calls. The third one's snapshot confirms main and work, which go
on; what the lost calls did in them nobody knows."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2)),
      thread_chunk(leave(), leave(), sequence=2, first_call=42, tick=START + 900,
                   opened=[(MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 20)]))
