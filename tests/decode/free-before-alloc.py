"""The second thread frees at tick 40 what the first one allocates at 41: an ALLOC stands after the allocation
and a FREE before it, so by the log's rules this free is wrong, and the block is never freed. At an equal tick
the free comes first: it ends the block before, whose address the other thread is given."""
from log import *

write(program(),
      thread_chunk(define_site(1, MAIN + 0x40), alloc(1, 0x500100, 16, delta=20), alloc(1, 0x500000, 16, delta=21),
                   alloc(1, 0x500100, 32, delta=9)),
      thread_chunk(define_site(1, WORK + 0x40), free(1, 0x500000, delta=40), free(1, 0x500100, delta=10), thread=1, tid=101))
