"""work, open, is called again below the limit of depth: counted calls of an open frame belong to that frame,
whose total they do not lengthen. Outside of any call a counted one has no caller."""
from log import *

write(program(), thread_chunk(
    define(1, WORK, SHELL), define(2, WORK, WORK + 0x10),
    enter(1), enter(2), counted_short(2, 5, 40), leave(60), leave(), counted_short(1, 1, 0), counted_short(2, 2, 0)))
