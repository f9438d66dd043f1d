"""More calls are unwound than are open: those that are open end, and the thread goes on. Where none is open
nothing happens."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), define(2, WORK, MAIN + 0x10),
    enter(1), enter(2), unwind(70000, 7), unwind(1), enter(1), leave()))
