"""An exit of leaf comes where main and work are open: it closes nothing, and is an anomaly within work."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), define(2, WORK, MAIN + 0x10),
    enter(1), enter(2), mismatch(LEAF, OTHER + 0x10, 5), leave(), leave(), mismatch(LEAF, OTHER + 0x10)))
