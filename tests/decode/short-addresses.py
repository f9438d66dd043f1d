"""Short addresses count steps of 16 bytes from the chunk's heap_base, in both directions."""
from log import *

HEAP = 0x7F0000000000
write(program(), thread_chunk(
    define_site(1, MAIN + 0x40), alloc(1, HEAP + 0x10, 8, heap=HEAP), alloc(1, HEAP - 0x10, 8, heap=HEAP),
    alloc(1, HEAP - 16 * 2**31, 8, heap=HEAP), free(1, HEAP - 0x10, heap=HEAP), heap=HEAP))
