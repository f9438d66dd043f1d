"""Recording goes off within work and on again later, outside of what the log knows: main and work end there as
lost, what follows begins at the root. No call is missing, so this is no loss."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), define(2, WORK, MAIN + 0x10), enter(1), enter(2), pause()),
      thread_chunk(define(1, OTHER, MAIN + 0x20), enter(1), leave(), sequence=1, first_call=2, tick=START + 500,
                   flags=RESUMED))
