"""main calls leaf three times and then 70000 times, other twice, work once: all counted, not logged. They are
calls of main with frames, without rows; their time is main's callees'."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), define(2, LEAF, MAIN + 0x10), define(3, OTHER, MAIN + 0x20), define(4, WORK, MAIN + 0x30),
    enter(1, 10), counted_short(2, 3, 30), counted(2, 70000, 100000), counted_short(3, 2, 0), enter(4, 0), leave(7),
    counted_short(4, 1, 9), time_passes(200000), leave(0)))
