"""Two processes that know nothing of each other, each with its own modules at its own addresses: the same
address is a function of one program here and of another one there."""
from log import *

write(program(),
      process(process=2, pid=200, executable="/nonexistent/second", start_tick=START + 30),
      module("/nonexistent/second", bias=0x10000, process=2, pid=200),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave(), process=2, pid=200, tid=200, tick=START + 30),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave()),
      chunk(END, facts(how="exit", status=0, tick=START + 20)),
      chunk(END, facts(how="_exit", status=3, tick=START + 50), process=2, pid=200))
