"""The middle one of three chunks fails its checksum: a hole in the file, and a missing chunk of the thread."""
from log import *

main = (MAIN, SHELL, START + 10)
write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1)),
      thread_chunk(define(1, LEAF, MAIN + 0x10), *[enter(1), leave()] * 3, sequence=1, first_call=1, tick=START + 10,
                   opened=[main], sound=False),
      thread_chunk(define(1, LEAF, MAIN + 0x10), enter(1), leave(), leave(), sequence=2, first_call=4, tick=START + 100,
                   opened=[main]))
