"""A child is forked in main and works on with a flight recorder, which dropped the FORKED chunk: the first one
that is there has main, work and leaf in its snapshot. main was entered before the fork, it is the parent's call
and no row of the child's; work and leaf were entered in the dropped chunk. Then a chunk is missing, and the
last one confirms main and work, closes leaf and opens other."""
from log import *

main, work, leaf = (MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 200), (LEAF, WORK + 0x10, START + 210)
other = (OTHER, WORK + 0x20, START + 700)
child = dict(process=2, pid=200, tid=200, flags=RING)
write(program(),
      process("fork", process=2, pid=200, parent_pid=100, parent_process=1, start_tick=START + 30, fork_tick=START + 25),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave(1000)),
      thread_chunk(leave(), define(1, LEAF, WORK + 0x10), enter(1), sequence=1, first_call=2, tick=START + 500,
                   opened=[main, work, leaf], **child),
      thread_chunk(leave(), leave(), leave(), define(1, OTHER, SHELL), enter(1), leave(), sequence=3, first_call=9,
                   tick=START + 900, opened=[main, work, other], **child))
