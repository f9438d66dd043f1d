"""The thread's first chunk is missing: main, which was entered in it, is known from the snapshot."""
from log import *

write(program(), thread_chunk(
    define(1, LEAF, MAIN + 0x10), enter(1), leave(), leave(), sequence=1, first_call=7, tick=START + 100,
    opened=[(MAIN, SHELL, START + 10)]))
