"""The three chunks of a thread stand in the file in reverse: their sequence is their order."""
from log import *

main, work = (MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 20)
chunks = [
    thread_chunk(define(1, MAIN, SHELL), enter(1)),
    thread_chunk(define(1, WORK, MAIN + 0x10), enter(1), sequence=1, first_call=1, tick=START + 10, opened=[main]),
    thread_chunk(leave(), leave(), sequence=2, first_call=2, tick=START + 20, opened=[main, work])]
write(program(), *reversed(chunks))
