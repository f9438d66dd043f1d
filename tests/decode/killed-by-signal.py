"""A signal ended the process within leaf; the status is not told, for there is none."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2), flags=SALVAGED, clock=(0, 0)),
      chunk(END, facts(how="signal", signal=11, core=1, tick=START + 90)))
