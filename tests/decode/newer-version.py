"""A log of format version 2 is refused, and who reads it is told what to do; nothing is made of it."""
from log import *

write(chunk(RUN, facts(command="program"), process=0, version=2),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave(), version=2))
