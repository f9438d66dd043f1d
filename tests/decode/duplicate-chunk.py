"""A chunk stands twice: it is read once, and the second one is said to be there."""
from log import *

first = thread_chunk(define(1, MAIN, SHELL), enter(1))
second = thread_chunk(define(1, LEAF, MAIN + 0x10), enter(1), leave(), leave(), sequence=1, first_call=1, tick=START + 10,
                      opened=[(MAIN, SHELL, START + 10)])
write(program(), first, second, second)
