"""Slot 1 means leaf, then other: a definition holds until the next one of its slot, also for calls that are
open, whose exits name nothing; and a slot that meant a call may mean a place of allocation."""
from log import *

write(program(), thread_chunk(
    define(1, LEAF, SHELL), enter(1), leave(), enter(1),
    define(1, OTHER, LEAF + 0x10), enter(1), leave(), leave(),
    define_site(1, MAIN + 0x10), alloc(1, 0x500000, 8)))
