"""Calls of addresses in no module, and from there: the functions have their address for a name."""
from log import *

write(program(), thread_chunk(
    define(1, 0x90000, SHELL), enter(1), define(2, LEAF, 0x90010), enter(2), leave(), leave(), define_site(3, 0x90020),
    alloc(3, 0x500000, 8)))
