"""The same without fork_tick: what the parent freed just before the child's start may have been the child's, so
that a free there of what is not known is counted, not an error."""
from log import *

write(program(),
      process("fork", process=2, pid=200, parent_pid=100, parent_process=1, start_tick=START + 80),
      thread_chunk(define_site(1, MAIN + 0x40), alloc(1, 0x500000, 16), alloc(1, 0x500100, 16), free(1, 0x500100, delta=50)),
      thread_chunk(define_site(1, WORK + 0x40), free(1, 0x500000), free(1, 0x500100), free(1, 0x900000), free(1, 0x500000),
                   process=2, pid=200, tid=200, tick=START + 80, flags=FORKED))
