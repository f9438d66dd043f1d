"""A parent has three blocks when it forks, and frees the first and the second afterwards; what it allocates
between fork_tick and the child's start may be the child's too. The child frees its copies, and reallocates the
third: no error, and the parent's rows stay as they are. It also frees one twice, one that the parent had freed
before the fork, and one that the parent allocated later: these three are wrong."""
from log import *

FREED, FIRST, SECOND, THIRD, BETWEEN, LATER = (0x500000 + 0x100 * i for i in range(6))
write(program(),
      process("fork", process=2, pid=200, parent_pid=100, parent_process=1, start_tick=START + 80, fork_tick=START + 70),
      thread_chunk(define_site(1, MAIN + 0x40), *[alloc(1, address, 16) for address in (FREED, FIRST, SECOND, THIRD)],
                   free(1, FREED), note("fork begins at 70", delta=20), alloc(1, BETWEEN, 24, delta=5), free(1, FIRST, delta=15),
                   alloc(1, LATER, 8), free(1, SECOND, delta=100)),
      thread_chunk(define_site(1, WORK + 0x40), *[free(1, address) for address in (FIRST, SECOND, BETWEEN)],
                   free(1, SECOND), free(1, FREED), free(1, LATER),
                   realloc(1, THIRD, 0x600000, 32), free(1, 0x600000),
                   process=2, pid=200, tid=200, tick=START + 80, flags=FORKED))
