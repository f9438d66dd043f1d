"""A block is allocated where one still lives, and nothing is missing from the log: that cannot be. The first one
has no free, and is counted no longer."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), enter(1), define_site(2, MAIN + 0x40), alloc(2, 0x500000, 16), alloc(2, 0x500000, 32),
    free(2, 0x500000), leave()))
