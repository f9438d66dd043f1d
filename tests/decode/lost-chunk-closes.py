"""In the lost chunk work ended, for the snapshot has main alone: work ends, its exit lost, where the next chunk
begins."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2)),
      thread_chunk(leave(), sequence=2, first_call=42, tick=START + 900, opened=[(MAIN, SHELL, START + 10)]))
