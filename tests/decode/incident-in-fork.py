"""A process has two blocks and frees one; its child's child goes wrong in the block in use, and then with a pointer to
the freed one: both are found in the process that made them. One that was exec'd has another memory: nothing is
known of the same address there."""
import struct

from log import *

HEAP = 0x7F0000
in_main = [(MAIN, SHELL, START + 10)]
write(program(),
      process("fork", process=2, pid=200, parent_pid=100, parent_process=1, start_tick=START + 80, fork_tick=START + 70),
      process("fork", process=3, pid=300, parent_pid=200, parent_process=2, start_tick=START + 90, fork_tick=START + 85),
      process("exec", process=4, pid=300, parent_pid=200, parent_process=3, start_tick=START + 200),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(4, 0, MAIN + 0x20), define(5, 0, MAIN + 0x30),
                   alloc_full(4, HEAP, 100), alloc_full(4, HEAP + 0x1000, 64), free_full(5, HEAP + 0x1000), leave(200)),
      thread_chunk(leave(), process=2, pid=200, tid=200, tick=START + 80, flags=FORKED, opened=in_main),
      thread_chunk(incident(1, "SIGSEGV", 11, 1, HEAP + 40, MAIN + 0x40),
                   incident(1, "SIGSEGV", 11, 1, 16, MAIN + 0x44), incident(8, struct.pack("<Q", HEAP + 0x1008)),
                   process=3, pid=300, tid=300, tick=START + 90, flags=FORKED, opened=in_main),
      thread_chunk(incident(1, "SIGSEGV", 11, 1, HEAP + 40, MAIN + 0x48), process=4, pid=300, tid=300, tick=START + 200))
