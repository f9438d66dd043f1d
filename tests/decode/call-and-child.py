"""A call of main, in it two of leaf from one place: main's own time is what the leaves leave of it."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), enter(1, 10),
    define(2, LEAF, MAIN + 0x10), enter(2, 5), leave(20),
    enter(2, 5), leave(25),
    leave(15)))
