"""A chunk is missing: what is freed behind it without having been seen may have been allocated in it, and a block
whose address is allocated again may have been freed in it. That is counted, and no error of the program's; a wrong
free before the gap is one."""
from log import *

write(program(),
      thread_chunk(define_site(1, MAIN + 0x40), alloc(1, 0x500000, 16), free(1, 0x510000), note("the last event before")),
      thread_chunk(define_site(1, MAIN + 0x40), free(1, 0x520000), free(1, 0x530000), alloc(1, 0x500000, 32),
                   sequence=2, first_call=5, tick=START + 500))
