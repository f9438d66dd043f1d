"""A block is freed twice, and after the address was allocated again and freed, a third time: two double frees,
each of the block that lay there last."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), enter(1), define_site(2, MAIN + 0x40), define_site(3, MAIN + 0x50),
    alloc(2, 0x500000, 16), free(3, 0x500000), free(3, 0x500000),
    alloc(2, 0x500000, 32), free(3, 0x500000), leave(), free(3, 0x500000)))
