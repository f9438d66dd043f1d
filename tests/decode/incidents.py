"""Incidents. In thread 0: a signal at an address in a block that was freed, one 16 bytes behind a block that is not, one
that came of a return of LEAF, and an abort whose text comes in two pieces and names a type. Thread 1 has a call open
then. Then a signal in code that is
nobody's, which WORK called, with pointers to the block in use and to the
freed one. At last more text with nothing before it that it could belong to, and text that holds control characters."""
import struct

from log import *

HEAP = 0x7F0000
write(program(), thread_chunk(
    define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), define(3, LEAF, WORK + 0x10),
    define(4, 0, MAIN + 0x20), define(5, 0, MAIN + 0x30), alloc_full(4, HEAP, 100), alloc_full(4, HEAP + 0x1000, 64),
    free_full(5, HEAP), enter(2),
    incident(1, "SIGSEGV", 11, 1, HEAP + 40, WORK + 0x20), incident(1, "SIGBUS", 7, 1, HEAP + 0x1000 + 80, WORK + 0x24),
    enter(3), leave(), incident(5, "smashed", 11, 2, 0, 0x41414141),
    incident(3, "abort() with exception {St13run", 6, 0, 0, WORK + 0x30), incident(0, "time_error}: words"),
    incident(1, "SIGSEGV", 11, 5, 16, 0x7000000, WORK + 0x40), incident(8, struct.pack("<QQ", HEAP + 0x1008, HEAP + 8)),
    leave(), leave()),
    thread_chunk(incident(0, "lost"), define(1, OTHER, SHELL), enter(1, delta=20), incident(7, "a\nb\x01{i}", delta=100), leave(delta=1000), thread=1))
