"""A deadlock: two threads wait for each other to the end, a third one behind them; a fourth waits for what its holder
may have given back since; a fifth for a time. Ids of locks that a wait says to be held are those of nobody, too."""
from log import *

DEFINE, WAIT, WAITED, TAKEN = range(4)
TRIED, NONE = 2, 0xFFFFFFFF
AT = MAIN + 0x20


def held(*locks):
    """The locks that the waiting thread holds: guards without a count."""
    return [locks[i] | (locks[i + 1] if i + 1 < len(locks) else 0) << 32 for i in range(0, len(locks), 2)]


def point(calls, depth):
    return calls << 24 | depth


def thread(number, *events):
    return thread_chunk(define(1, WORK, SHELL), enter(1), *events, thread=number, tid=100 + number)


write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), *[lock(DEFINE, i, site=AT, numbers=[0x9000 + 64 * i]) for i in range(1, 5)],
                   define(2, WORK, MAIN + 0x10), enter(2, 5000)),
      thread(1, lock(WAIT, 2, site=AT, thread=2, point=point(1, 1), other_site=AT, numbers=held(1))),
      thread(2, lock(WAIT, 1, site=AT + 4, thread=1, point=point(1, 1), other_site=AT, numbers=held(2, 77), delta=30)),
      thread(3, lock(WAIT, 1, site=AT, thread=1, point=point(1, 1), other_site=AT)),
      thread(4, lock(WAIT, 3, site=AT, thread=5, point=point(1, 1), numbers=held(4))),
      thread(5, lock(WAIT, 4, site=AT, thread=4, mode=TRIED, numbers=held(3))))
