"""A process forks nine calls deep, and the child's FORKED chunk has room for the innermost two (as it has for 256
of more): all nine are the parent's. The child returns from all of them, which is no damage, and calls on."""
from log import *

write(program(),
      process("fork", process=2, pid=200, parent_pid=100, parent_process=1, start_tick=START + 100, fork_tick=START + 95),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2),
                   define(3, WORK, WORK + 0x10), *[enter(3)] * 7, *[leave()] * 9),
      thread_chunk(define(1, LEAF, WORK + 0x20), enter(1), *[leave()] * 6, enter(1), *[leave()] * 5,
                   define(2, OTHER, SHELL), enter(2), leave(), process=2, pid=200, tid=200, tick=START + 100,
                   opened=[(WORK, WORK + 0x10, START + 80), (WORK, WORK + 0x10, START + 90)], open_depth=9, flags=FORKED))
