"""The first thread's work allocates, the second thread frees: no distance in allocations and no owner, for both
are of one thread."""
from log import *

write(program(),
      thread_chunk(define(1, WORK, SHELL), enter(1), define_site(2, WORK + 0x40), alloc(2, 0x500000, 24), leave()),
      thread_chunk(define(1, OTHER, SHELL), enter(1, 200), define_site(2, OTHER + 0x40), free(2, 0x500000), leave(),
                   thread=1, tid=101))
