"""Six calls are open behind a lost chunk, and the snapshot has the innermost three: the outer ones are what the
first chunk left open, main and two calls of work, kept though nothing confirms them."""
from log import *

below = [(OTHER, WORK + 0x20, START + 400), (OTHER, OTHER + 0x10, START + 410), (LEAF, OTHER + 0x20, START + 420)]
write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2),
                   define(3, WORK, WORK + 0x10), enter(3), define(4, LEAF, WORK + 0x30), enter(4)),
      thread_chunk(*[leave()] * 6, sequence=2, first_call=104, tick=START + 900, opened=below, open_depth=6))
