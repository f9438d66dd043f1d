"""Packed chunks: the second of three holds its events in a zstd frame, the third, with a snapshot, too."""
from log import *

first = thread_chunk(define(1, MAIN, SHELL), enter(1))
words = define(1, LEAF, MAIN + 0x10) + enter(1) + leave()
second = packed(words, 1, frame(struct.pack("<QQQ", MAIN, SHELL, START + 10) + units(*words)), sequence=1, first_call=1,
                tick=START + 10, open_calls=1, open_depth=1)
words = define(1, LEAF, MAIN + 0x20) + enter(1) + leave() + leave()
third = packed(words, 1, frame(struct.pack("<QQQ", MAIN, SHELL, START + 10) + units(*words)) + b"\0" * 40, sequence=2,
               first_call=2, tick=START + 30, open_calls=1, open_depth=1)
write(program(), first, second, third)
