"""main calls leaf from two places: two frames of one function; a third call, from the first place, adds to
the first."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), define(3, LEAF, MAIN + 0x20),
    enter(1), enter(2), leave(1), enter(3), leave(2), enter(2), leave(4), leave()))
