"""The forked child jumps out of its own leaf and of work and main, which it inherited: one anomaly; only leaf is
a row of the child's that was unwound."""
from log import *

main, work = (MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 20)
write(program(),
      process("fork", process=2, pid=200, parent_pid=100, parent_process=1, start_tick=START + 30),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2), leave(100), leave()),
      thread_chunk(define(1, LEAF, WORK + 0x10), enter(1), unwind(3), define(2, OTHER, SHELL), enter(2), leave(),
                   process=2, pid=200, tid=200, tick=START + 30, opened=[main, work], flags=FORKED))
