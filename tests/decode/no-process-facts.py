"""The chunks with the facts of the process are missing, that of its modules too: its calls are there, at
addresses of nothing; its start is that of its first event. Not even the clock's rate is known: a tick counts as
a nanosecond."""
from log import *

write(thread_chunk(define(1, MAIN, SHELL), enter(1), leave()), chunk(THREAD, facts(name="alone")))
