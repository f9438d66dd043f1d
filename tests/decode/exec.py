"""A process replaces its program: the image before it is the parent, it ended by exec, and its calls are open
then. The new one has the same pid, modules of its own, and begins outside of any call."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2)),
      chunk(END, facts(how="exec", tick=START + 60)),
      process("exec", process=2, executable="/nonexistent/second", parent_process=1, start_tick=START + 80),
      module("/nonexistent/second", bias=0x10000, process=2),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave(), process=2, tick=START + 80),
      chunk(END, facts(how="exit", status=0, tick=START + 110), process=2))
