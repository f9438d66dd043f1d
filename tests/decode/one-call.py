"""One call of main, 30 ns long."""
from log import *

write(program(), thread_chunk(define(1, MAIN, SHELL), enter(1, 10), leave(30)))
