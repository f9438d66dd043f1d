"""A block grows twice where it is and once moves: three reallocs, a chain, of which the move copied 32 bytes.
Each is a block of its own that ends where the next one begins. The event after a realloc counts from its
beginning."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), enter(1), define_site(2, MAIN + 0x40), alloc(2, 0x500000, 8),
    realloc(2, 0x500000, 0x500000, 16, elapsed=4), realloc(2, 0x500000, 0x500000, 32, elapsed=4),
    realloc(2, 0x500000, 0x500100, 64, elapsed=6), note("ten after the last one began"), free(2, 0x500100), leave()))
