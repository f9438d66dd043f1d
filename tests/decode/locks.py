"""Locks: two threads take two locks in both orders; one waits for the other, who had taken the lock in a call that has
returned since; counts of both; a misuse; a lock that nothing defines; a wait that does not end; points that no call
is at."""
from log import *

DEFINE, WAIT, WAITED, TAKEN, ORDER, ORDERED, HELD, MISUSED, ENDED = range(9)
MADE, READ, NONE = 1, 1, 0xFFFFFFFF
AT = MAIN + 0x20


def point(calls, depth):
    return calls << 24 | depth


write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, WORK, MAIN + 0x10), enter(2),
                   lock(DEFINE, 1, kind=0, mode=MADE, site=AT, numbers=[0x9000]),
                   lock(DEFINE, 2, kind=2, site=AT + 4, numbers=[0x9040]),
                   lock(ORDER, 2, mode=READ, thread=1, other=1, point=point(1, 1), other_site=AT, site=AT + 4, guards=[3 | 1 << 31]),
                   leave(), lock(ORDERED, 1, thread=0, numbers=[4]),
                   lock(HELD, 1, thread=0, point=point(2, 2), site=AT, numbers=[5, 30, 10, 1]),
                   lock(HELD, 1, thread=0, point=point(1, 1), site=AT, numbers=[1, 20, 20]),
                   lock(MISUSED, 2, kind=1, site=AT + 8, thread=NONE), lock(ENDED, 1, site=AT + 12), leave()),
      thread_chunk(define(1, WORK, SHELL), enter(1), lock(WAIT, 1, site=AT, thread=0, point=point(2, 1), other_site=AT),
                   lock(WAITED, 1, delta=500), lock(TAKEN, 2, mode=READ, site=AT),
                   lock(WAIT, 2, site=AT, thread=0, point=point(9, 1)), lock(WAITED, 2, delta=40).copy(),
                   lock(ORDER, 1, thread=1, other=2, point=point(0, 0), site=AT),
                   lock(HELD, 2, thread=7, numbers=[1, 1 << 62, 3]),
                   lock(WAIT, 5, site=AT, thread=NONE), leave(), thread=1, tid=101))
