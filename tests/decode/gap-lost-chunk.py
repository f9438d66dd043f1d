"""Of three chunks the second is missing. The first reading behind it tells what the thread did in the lost part, too:
it is the base of the next one and gives no row. The same after recording was off."""
from log import *

STACK = [(MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 20)]

write(program(gap_ticks=20000),
      thread_facts(START, 0),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2)),
      thread_chunk(gap(50000, 10000, waits=900), time_passes(50000), note("behind the loss", 0),
                   gap(60000, 20000, waits=901), time_passes(60000), leave(0), pause(),
                   sequence=2, first_call=42, tick=START + 1000000, opened=STACK),
      thread_chunk(define(1, OTHER, SHELL), enter(1), gap(70000, 30000, waits=902), time_passes(70000), leave(0),
                   sequence=3, first_call=42, tick=START + 2000000, flags=RESUMED),
      thread_facts(START + 2070100, 30050, how="exit", waits=902))
