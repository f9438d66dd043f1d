"""A realloc that failed leaves no event: the block lives on and is freed later, without an error."""
from log import *

write(program(), thread_chunk(
    define_site(1, MAIN + 0x40), alloc(1, 0x500000, 16), note("realloc failed here"), free(1, 0x500000)))
