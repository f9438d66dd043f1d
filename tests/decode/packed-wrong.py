"""What is packed is no zstd frame, is shorter than the header says, longer, or says that it has another length: the
calls of each such chunk are missing, those between them are there."""
from log import *

words = define(1, LEAF, MAIN + 0x10) + enter(1) + leave()
content = struct.pack("<QQQ", MAIN, SHELL, START + 10) + units(*words)
chunks_made = [thread_chunk(define(1, MAIN, SHELL), enter(1))]
wrong = [b"no frame", frame(content[:-2]), frame(content + b"\0\0"), frame(content, len(content) - 2), frame(content)[:-9]]
for number, inside in enumerate(wrong):
    more = dict(tick=START + 10 + 40 * number, open_calls=1, open_depth=1)
    chunks_made.append(packed(words, 1, inside, sequence=2 * number + 1, first_call=2 * number + 1, **more))
    more["tick"] += 20
    chunks_made.append(packed(words, 1, frame(content), sequence=2 * number + 2, first_call=2 * number + 2, **more))
write(program(), *chunks_made)
