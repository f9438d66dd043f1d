"""A chunk of 25 calls could not be written. The collector says so, and the next chunk, which could be, is flagged
for it: the gap in the thread's sequence and the collector's words are one loss of 25 calls, not two. The snapshot
shows one of them, work, so 24 are missing."""
from log import *

LOST = 32
write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1)),
      thread_chunk(leave(), leave(), sequence=2, first_call=26, tick=START + 400, flags=LOST,
                   opened=[(MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 300)]),
      chunk(LOSS, facts(reason="write failed", chunks=1, calls=25, bytes=4096, errno=28), clock=(START + 500, 1000500)))
