"""A realloc of an address that is no block: a wrong free, and a block that is made of nothing."""
from log import *

write(program(), thread_chunk(
    define_site(1, MAIN + 0x40), realloc(1, 0x500000, 0x500100, 16), free(1, 0x500100)))
