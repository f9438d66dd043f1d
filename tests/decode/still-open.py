"""main and work are open when the log ends: they end, as open ones, with the thread's last event. Only leaf
finished."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2),
    define(3, LEAF, WORK + 0x10), enter(3), leave(30)))
