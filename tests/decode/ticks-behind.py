"""The clock of one core is a few ticks behind: the second chunk begins at 55, the last event before it was at 60.
Time stands still for the thread until it is caught up: leaf's second call begins and ends at 60, main ends at 70."""
from log import *

main = (MAIN, SHELL, START + 10)
write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2, 30), leave(20)),
      thread_chunk(define(2, LEAF, MAIN + 0x10), enter(2, 2), leave(3), leave(10), sequence=1, first_call=2,
                   tick=START + 55, opened=[main]))
