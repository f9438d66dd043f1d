"""A sound chunk with a code that the format does not know, after one call of three: it is damaged from there on.
The next chunk's snapshot says that main is still open, and that work was entered in what could not be read."""
from log import *

main, work = (MAIN, SHELL, START + 10), (WORK, MAIN + 0x20, START + 40)
write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2), leave(),
                   [code(0x60A0), 1, 2], define(3, WORK, MAIN + 0x20), enter(3)),
      thread_chunk(leave(), leave(), sequence=1, first_call=3, tick=START + 100, opened=[main, work]))
