"""A signal ended the process when leaf had been called for a second, and main's thread had 5 ms of it. The kernel says
that the thread could have run for the rest and others did; the one time that it gave the processor up was its death."""
from log import *

END_TICK = START + 1000000100

write(program(gap_ticks=20000),
      thread_facts(START, 0),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2, 90), flags=SALVAGED),
      chunk(END, facts(how="signal", signal=14, tick=END_TICK, ns=1, cpu_ns=5000100, waits=1, preemptions=5,
                       queued_ns=980000000)))
