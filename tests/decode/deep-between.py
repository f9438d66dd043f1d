"""Calls that no snapshot names lie between known ones: main and work were open before the gap, behind it seven
calls are, of which the snapshot has the innermost two. Three in the middle have gone on unseen: their exits end
neither work nor main, which end where their own exits come."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2)),
      thread_chunk(leave(), leave(), leave(), leave(), leave(), define(1, LEAF, WORK + 0x20), enter(1), leave(),
                   leave(), leave(), define(2, OTHER, SHELL), enter(2), leave(),
                   sequence=2, first_call=50, tick=START + 900, opened=[(OTHER, WORK + 0x10, START + 400),
                                                                        (LEAF, OTHER + 0x10, START + 410)], open_depth=7))
