"""Processes that another one started by vfork() and exec know its pid alone: the parent is the last image with it that
came before. A pid that the log does not have, and one that came later, are nobody's."""
from log import *

write(program(),
      process("start", process=2, pid=200, parent_pid=100, start_tick=START + 10),
      process("start", process=3, pid=300, parent_pid=999, start_tick=START + 20),
      process("start", process=4, pid=400, parent_pid=500, start_tick=START + 30),
      process("exec", process=5, pid=100, parent_pid=7, parent_process=1, start_tick=START + 40),
      process("start", process=6, pid=500, parent_pid=100, start_tick=START + 50),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave()))
