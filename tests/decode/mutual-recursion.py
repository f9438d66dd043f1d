"""work calls other, which calls work, which calls other: from the third call on no frame is new."""
from log import *

write(program(), thread_chunk(
    define(1, WORK, SHELL), define(2, OTHER, WORK + 0x10), define(3, WORK, OTHER + 0x10),
    enter(1), enter(2), enter(3), enter(2), enter(3), leave(1), leave(2), leave(3), leave(4), leave(5)))
