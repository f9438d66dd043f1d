"""A chunk of another run strayed into the log, as when two recorders wrote into one file: it is left out."""
from log import *

write(program(), thread_chunk(define(1, MAIN, SHELL), enter(1), leave()),
      thread_chunk(define(1, WORK, SHELL), enter(1), leave(), run=8, thread=1))
