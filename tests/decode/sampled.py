"""record --time sampled: of main's calls of leaf, at 40 ns each, the first has a time and then one in four; mid and the
leaf in it have none, and a timed call of mid follows. What is behind the last timed call counts as the mean."""
from log import *

SAMPLED = 128
LEAF_AT, MID, MID_AT = MAIN + 0x10, OTHER, MAIN + 0x20
write(program(), thread_chunk(
    define(1, MAIN, SHELL), enter(1, 10),
    define(2, LEAF, LEAF_AT), enter(2, 10), leave(40),
    *[part for _ in range(5) for part in
      (enter(2, 0), leave(0), enter(2, 0), leave(0), enter(2, 0), leave(0), enter(2, 150), leave(40))],
    enter(2, 0), leave(0),
    define(3, MID, MID_AT), define(4, LEAF, MID + 0x10),
    enter(3, 50), enter(4, 10), leave(40), leave(10),
    enter(3, 0), enter(4, 0), leave(0), leave(0),
    enter(3, 0), enter(4, 60), leave(40), leave(0),
    leave(100),
    flags=SAMPLED))
