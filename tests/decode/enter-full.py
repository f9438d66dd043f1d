"""A call without the dictionary, and one of the same pair with it: one frame."""
from log import *

write(program(), thread_chunk(
    enter_full(MAIN, SHELL, 10), enter_full(LEAF, MAIN + 0x10, 5), leave(),
    define(1, LEAF, MAIN + 0x10), enter(1), leave(20), leave()))
