"""The last chunk was finished by another process after its writer was killed: it has no clock pair, its calls
count as any others, and leaf and main are open at the end."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1)),
      thread_chunk(define(1, LEAF, MAIN + 0x10), enter(1), leave(), enter(1), sequence=1, first_call=1, tick=START + 10,
                   opened=[(MAIN, SHELL, START + 10)], flags=SALVAGED, clock=(START + 40, 0)))
