"""In the lost chunk work ended, work was called again from the same place (the tick of its entry is another
one), and in that leaf: rows of two calls that were entered unseen, with the times that the snapshot has."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2)),
      thread_chunk(leave(), leave(), define(1, OTHER, MAIN + 0x20), enter(1), leave(), leave(), sequence=2, first_call=42,
                   tick=START + 900, opened=[(MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 400),
                                             (LEAF, WORK + 0x10, START + 500)]))
