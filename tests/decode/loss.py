"""The collector could not write the thread's last chunk of 25 calls, for the disk was full, and said so. fisql
record tells of another loss, of the whole run. Only the first call is there, and open."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1)),
      chunk(LOSS, facts(reason="write failed", chunks=1, calls=25, bytes=4096, errno=28), clock=(START + 300, 1000300)),
      chunk(LOSS, facts(reason="killed", chunks=3), process=0, pid=1))
