"""main calls work, work calls other, other calls leaf, and leaf jumps back to main: three calls end at once,
unwound. The anomaly names the outermost of them and the call that goes on. main returns as usual."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), define(2, WORK, MAIN + 0x10), define(3, OTHER, WORK + 0x10), define(4, LEAF, OTHER + 0x10),
    enter(1), enter(2), enter(3), enter(4), unwind(3, 7), enter(4), leave(), leave()))
