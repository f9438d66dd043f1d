"""leaf waited for all but 10 us of 100 us, and its hooks are said to cost 20 us within it: they ran on the processor,
so no more than 10 us are taken out, and self_ns is what it waited. main made one call at 20 us outside."""
from log import *

write(program(gap_ticks=20000, hook_inside_ps=20000000, hook_outside_ps=20000000),
      thread_facts(START, 1000),
      thread_chunk(
          define(1, MAIN, SHELL), enter(1), define(2, LEAF, MAIN + 0x10), enter(2),
          gap(100000, 1000 + 10000, waits=1), time_passes(100000), leave(0), leave(30000)))
