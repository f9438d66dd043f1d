"""Nothing came before a chunk with nine calls open, of which the snapshot has the innermost two: these have
rows, and of the seven around them nothing is known. Their exits are no damage; between them calls come and go
at the root, other is unwound together with two of the seven, and what the last exit leaves is nothing."""
from log import *

write(program(), thread_chunk(
    leave(), leave(), leave(), define(1, LEAF, WORK + 0x20), enter(1), leave(), leave(),
    define(2, OTHER, WORK + 0x30), enter(2), unwind(3), leave(), leave(), leave(), enter(1), leave(), sequence=3, first_call=500, tick=START + 900,
    opened=[(WORK, MAIN + 0x10, START + 400), (LEAF, WORK + 0x10, START + 410)], open_depth=9))
