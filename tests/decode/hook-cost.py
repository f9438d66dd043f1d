"""Each call's hooks cost 2 ns inside of it and 3 ns outside: main's own time loses 2 for its own and 3 for each
of three calls of leaf; leaf's loses 2 for each. No call gets shorter than nothing."""
from log import *

write(program(hook_inside_ps=2000, hook_outside_ps=3000), thread_chunk(
    define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), enter(1), enter(2), leave(1), enter(2), leave(10), enter(2),
    leave(20), leave(10)))
