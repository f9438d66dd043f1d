"""A flight recorder kept the thread's last two chunks: what came before them was dropped on purpose. That is
no loss, and the run is not complete."""
from log import *

main = (MAIN, SHELL, START + 10)
write(program(),
      thread_chunk(define(1, LEAF, MAIN + 0x10), enter(1), leave(), sequence=4, first_call=97, tick=START + 4000,
                   opened=[main], flags=RING),
      thread_chunk(define(1, LEAF, MAIN + 0x10), enter(1), leave(), leave(), sequence=5, first_call=98, tick=START + 4020,
                   opened=[main], flags=RING))
