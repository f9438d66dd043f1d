"""Results of calls that have no row are nobody's: of a parent's call that ends in a forked child, and of a call that
a snapshot leaves out. A result whose call's entry was in a chunk before is its own."""
from log import *

DEEP = [(LEAF, WORK + 16, START)] * 2
write(program(), thread_chunk(define(1, MAIN, SHELL), define(2, WORK, MAIN + 16), enter(1), arguments(1), enter(2), arguments(5)),
      thread_chunk(define(1, MAIN, SHELL), define(2, WORK, MAIN + 16), leave(), result(6), leave(), result(7), sequence=1, first_call=2,
                   tick=START + 20, opened=[(MAIN, SHELL, START + 10), (WORK, MAIN + 16, START + 20)]),
      process(origin="fork", process=2, pid=200, parent_process="1", start_tick=START + 20, fork_tick=START + 20),
      thread_chunk(define(3, LEAF, WORK + 16), enter(3), arguments(8), leave(), result(9), leave(), result(10), leave(), result(11),
                   process=2, pid=200, tid=200, flags=FORKED, tick=START + 20,
                   opened=[(MAIN, SHELL, START + 10), (WORK, MAIN + 16, START + 20)]),
      thread_chunk(*[event for _ in range(4) for event in (leave(1), result(3))], thread=1, tid=101, opened=DEEP, open_depth=4,
                   tick=START + 5, calls=0))
