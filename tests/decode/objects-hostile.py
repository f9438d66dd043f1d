"""An object with an impossible kind, in a chunk of its own: what came before it stays. Counts as large as they can
be; a text that is too long for its kind; a number that is cut."""
from log import *

A = MAIN + 0x10
SITE = define(1, MAIN, SHELL)
write(program(),
      thread_chunk(SITE, enter(1), ref(A, 0x5000, (1 << 63) - 1), unref(A, 0x5000, -(1 << 63)), said(9, A, 0x5000), leave()),
      thread_chunk(SITE, enter(1), said(0, A, 0x5000, b"x" * 64), leave(), thread=1, tid=101),
      thread_chunk(SITE, enter(1), said(3, A, 0x5000, b"cut"), leave(), thread=2, tid=102),
      thread_chunk(SITE, enter(1), [code(CODE["OBJECT"]), 1, 200], thread=3, tid=103))
