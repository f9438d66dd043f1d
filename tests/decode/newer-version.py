"""A log of a newer format version is refused with advice; nothing is made of it."""
from log import *

write(chunk(RUN, facts(command="program"), process=0, version=VERSION + 1),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave(), version=VERSION + 1))
