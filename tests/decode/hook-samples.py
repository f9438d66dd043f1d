"""Hooks that measured themselves: 40 enter hooks took 100 ticks (ns) each, 40 exit hooks 50, and the chunk
before took 1024 to write. A hook costs 0.57 of that: 57 ns inside a call, 28.5 ns outside. So the sum of self times loses
3 * 57 + 2 * 28.5 = 228 ns; what was measured at the start of the process does not count, nor, before the first chunk, the writing."""
from log import *

write(program(hook_inside_ps=1000, hook_outside_ps=1000), thread_chunk(
    define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), enter(1), enter(2), leave(500), enter(2), leave(1000), leave(2000),
    cost=40 | 40 << 8 | 4000 // 4 << 16 | 2000 // 4 << 33 | 1024 // 256 << 50))
