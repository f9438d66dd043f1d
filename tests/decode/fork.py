"""work forks. The child's first chunk is FORKED: main and work in its snapshot are the parent's calls, so they
have no rows in the child and their ends there tell nothing; leaf, called in the child's work, has its frame
below them. The child has the parent's modules."""
from log import *

main, work = (MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 20)
write(program(),
      process("fork", process=2, pid=200, parent_pid=100, parent_process=1, start_tick=START + 30, fork_tick=START + 25),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2), leave(100), leave()),
      thread_chunk(define(1, LEAF, WORK + 0x10), enter(1), leave(), leave(), leave(), define(2, OTHER, SHELL), enter(2),
                   leave(), process=2, pid=200, tid=200, tick=START + 30, opened=[main, work], flags=FORKED),
      chunk(END, facts(how="exit", status=0, tick=START + 140)),
      chunk(END, facts(how="exit", status=1, tick=START + 120), process=2, pid=200))
