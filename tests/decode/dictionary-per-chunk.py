"""Slots mean nothing in the next chunk until they are defined there. The second chunk uses slot 1 without: it
is damaged from there on, and the call that it says to have is missing."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave()),
      thread_chunk(enter(1), leave(), sequence=1, first_call=1, tick=START + 20))
