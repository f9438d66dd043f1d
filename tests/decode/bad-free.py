"""Frees of what is no block: inside of one that lives, just behind it, inside of one that was freed (of which
nothing is left), and of an address that never was one. And a delete of nothing known."""
from log import *

write(program(), thread_chunk(
    define_site(1, MAIN + 0x40), alloc(1, 0x500000, 64), alloc(1, 0x500100, 64), free(1, 0x500100),
    free(1, 0x500010), free(1, 0x500040), free(1, 0x500110), free(1, 0x600000), free_full(1, 0x700008, "delete")))
