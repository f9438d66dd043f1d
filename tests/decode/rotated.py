"""A log in the middle of a run that has several (record --rotate). It begins with the facts of the process, and has
those of its module twice. A thread goes on whose calls began in an earlier log: that is no loss; the time until then is
in no function's own time. Another thread begins here, and frees a block of which an earlier log knows."""
from log import *

main, work = (MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 1000)
write(program(),
      chunk(RUN, facts(earlier_logs=2), process=0),
      module(),
      thread_chunk(define(1, LEAF, WORK + 0x10), enter(1), leave(), leave(), sequence=3, first_call=5, tick=START + 4000,
                   opened=[main, work]),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define_site(2, MAIN + 0x40), free(2, 0x500000), thread=1, tid=101,
                   tick=START + 5000),
      chunk(RUN, facts(continued=1), process=0))
