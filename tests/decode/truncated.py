"""The last chunk was cut when the disk was full: its header says what it would have held."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1)),
      thread_chunk(define(1, LEAF, MAIN + 0x10), enter(1), leave(), leave(), sequence=1, first_call=1, tick=START + 10,
                   opened=[(MAIN, SHELL, START + 10)])[:160])
