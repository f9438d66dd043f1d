"""Writing a chunk lies between the last event of it and the first of the next, in whatever call is open then, and is taken
out of that one and of those around it: 1024 ticks (ns) of LEAF's own time (2000 are left of its 3024), 512 of MAIN's. Not
more than the time that passed: the last chunk says 2048, but its first event came 300 after the last one before it."""
from log import *

main, leaf = (MAIN, SHELL, START + 10), (LEAF, MAIN + 0x10, START + 20)


def written(ticks):
    return ticks // 256 << 50


write(
    program(hook_inside_ps=0, hook_outside_ps=0),
    thread_chunk(define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), enter(1), enter(2)),
    thread_chunk(leave(3024), sequence=1, first_call=2, tick=START + 20, opened=[main, leaf], cost=written(1024)),
    thread_chunk(define(2, LEAF, MAIN + 0x10), enter(2, 1000), leave(50), sequence=2, first_call=2, tick=START + 3044,
                 opened=[main], cost=written(512)),
    thread_chunk(leave(300), sequence=3, first_call=3, tick=START + 4094, opened=[main], cost=written(2048)))
