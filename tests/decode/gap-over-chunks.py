"""A GAP ends a chunk, and the event that it is about begins the next one; a definition, and a call that was counted,
come between another one and its event. In a forked child the innermost call is the parent's: the gap has none."""
from log import *

write(program(gap_ticks=20000),
      thread_facts(START, 0),
      thread_chunk(define(1, MAIN, SHELL), enter(1), gap(30000, 1000, waits=1)),
      thread_chunk(time_passes(30000), define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), enter(2, 0),
                   gap(40000, 2000, waits=2), define(3, OTHER, LEAF + 0x10), time_passes(40000), leave(0), leave(),
                   sequence=1, first_call=1, tick=START + 10, opened=[(MAIN, SHELL, START + 10)]),
      process("fork", process=2, pid=200, parent_process="1", start_tick=START + 20, fork_tick=START + 15, gap_ticks=20000),
      thread_facts(START + 20, 0, process=2, pid=200, tid=200),
      thread_chunk(gap(50000, 100, waits=1), time_passes(50000), leave(0), process=2, pid=200, tid=200, flags=FORKED,
                   tick=START + 30, opened=[(MAIN, SHELL, START + 10)]))
