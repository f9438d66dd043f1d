"""Faults: the function that was just entered failed (rule 1), a call of the C library within main (rule 0), one
outside any call, and one of a rule that nothing is told of. The rules are told at the start, their counts at the end,
of which one is no number."""
from log import *

write(chunk(RUN, facts(faults_of="malloc\treturn 0 errno ENOMEM\tmalloc nth=2: return 0\n"
                                   "leaf\treturn -5\tleaf: return -5\n"), process=0) + program(), thread_chunk(
    fault(0, 0x18000), define(1, MAIN, SHELL), enter(1), define(3, LEAF, MAIN + 0x10), enter(3),
    fault(1, MAIN + 0x10), leave(), fault(0, MAIN + 0x44), fault(7, MAIN + 0x48), leave()),
    chunk(RUN, facts(faults_counted="5 2\nmany 1\n"), process=0))
