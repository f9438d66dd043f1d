"""The recording was changed while it ran. What makes no sense is as if it were not told: a word that is not known,
a number that is none; a process that is not there is any."""
from log import *

NS = 1_000_000_000
write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2), leave(), leave()),
      chunk(RUN, facts(control=f"{NS + 3000} 0 only 'pa*' '\x1b[2J'"), process=0),
      chunk(RUN, facts(control=f"{NS + 9000} 0 only '*'"), process=0),
      chunk(RUN, facts(control=f"{NS + 1000} 1 stop "), process=0),
      chunk(RUN, facts(control=f"{NS + 2000} 1 start"), process=0),
      chunk(RUN, facts(control="5 99 depth 3"), process=0),
      chunk(RUN, facts(control="99999999999999999999999 0 more " + 5000 * "7"), process=0),
      chunk(RUN, facts(control="12 0 jump 3"), process=0),
      chunk(RUN, facts(control="x 0 stop"), process=0),
      chunk(RUN, facts(control=""), process=0))
