"""A forked child knows its parent's points, and numbers of its own go before those."""
from log import *

def point(number, function):
    return facts(point=number, point_kind="scope", point_function=function, point_file="work.c", point_line=number, point_level=1)

write(program() + chunk(POINTS, point(1, "work")) + chunk(POINTS, point(2, "parents")), thread_chunk(
    scope(1, 1, SHELL), enter(1), leave()),
    process(origin="fork", process=2, pid=101, parent_process=1, parent_pid=100),
    chunk(POINTS, point(2, "childs"), process=2, pid=101),
    thread_chunk(scope(1, 1, SHELL), enter(1), scope(2, 2, SHELL), enter(2), leave(), leave(), process=2, pid=101, tid=101))
