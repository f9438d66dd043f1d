"""main allocates a block; leaf, which it calls, allocates a second one and frees the first. The second one is
freed in main, with a full address and after a third one came: main owns both. The third is never freed; the
fourth is as large as a short ALLOC can say, and the fifth larger."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), enter(1), define_site(2, MAIN + 0x40), alloc(2, 0x500000, 24),
    define(3, LEAF, MAIN + 0x10), enter(3), define_site(4, LEAF + 0x40), alloc(4, 0x500020, 100, "calloc"),
    free(4, 0x500000), leave(),
    alloc(2, 0x500040, 1), free_full(2, 0x500020), leave(),
    alloc(2, 0x500000, 0xFFFF), alloc_full(2, 0x7F0000000008, 0x10000, "memalign")))
