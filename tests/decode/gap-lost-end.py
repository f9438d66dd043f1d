"""The log's last bytes are missing, and with them perhaps the thread's last chunk: its calls end with the last event
that there is, and nothing is known of the time after it."""
from log import *

write(program(gap_ticks=20000),
      thread_facts(START, 0),
      thread_facts(START + 5000000, 50, how="process-exit"),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2)),
      thread_chunk(define(1, LEAF, WORK + 0x10), enter(1), sequence=1, first_call=2, tick=START + 20,
                   opened=[(MAIN, SHELL, START + 10), (WORK, MAIN + 0x10, START + 20)])[:-16])
