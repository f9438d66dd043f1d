"""A chunk of a newer version within a log of this one is damage."""
from log import *

write(program(), thread_chunk(define(1, MAIN, SHELL), enter(1), leave()),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave(), sequence=1, first_call=1, tick=START + 20, version=VERSION + 1))
