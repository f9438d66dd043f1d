"""A chunk is lost while a call is paused: the pause ends with what is known. RESUMED behind it is nothing's."""
from log import *

open_main = (MAIN, SHELL, START + 20)
write(program(), thread_chunk(define(1, MAIN, SHELL), enter(1, 20), paused(10)),
      thread_chunk(resumed(500), leave(), sequence=2, first_call=5, opened=[open_main], tick=START + 1000))
