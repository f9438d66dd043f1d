"""main calls work, which calls itself twice from one place: the second such call folds into the first one's
frame, for its pair of function and site is open already; and leaf within it hangs below that frame."""
from log import *

write(program(), thread_chunk(
    define(1, MAIN, SHELL), enter(1),
    define(2, WORK, MAIN + 0x10), enter(2),
    define(3, WORK, WORK + 0x20), enter(3), enter(3),
    define(4, LEAF, WORK + 0x30), enter(4), leave(5),
    leave(), leave(), leave(), leave()))
