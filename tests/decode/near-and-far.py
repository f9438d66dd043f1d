"""Definitions near the chunk's base address, on both sides of it, and far ones of addresses beyond 4 GiB, in
another module."""
from log import *

FAR = 0x7F0000001000
write(program(), module("/nonexistent/library.so", bias=0x7F0000000000, start=0x7F0000001000, end=0x7F0000002000),
      thread_chunk(
          near(1, MAIN, SHELL, base=0x19800), near(2, LEAF, MAIN + 0x10, base=0x19800),
          define(3, FAR, MAIN + 0x20), define(4, WORK, FAR + 0x30),
          enter(1), enter(2), leave(), enter(3), enter(4), leave(), leave(), leave(), base=0x19800))
