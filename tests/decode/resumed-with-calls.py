"""Recording was off before the second chunk, whose snapshot names main and work: main it confirms; that leaf is
open no more it shows, so leaf's exit was lost; work was entered unseen, and has a row all the same."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), enter(1), enter(2)),
      thread_chunk(leave(), leave(), sequence=1, first_call=2, tick=START + 500, flags=RESUMED,
                   opened=[(MAIN, SHELL, START + 10), (WORK, MAIN + 0x20, START + 300)]))
