"""What macros of fisql_trace.h leave: scopes, one of them within a function with hooks, one that nothing is told of and
one of the same place in the source as the first; checkpoints with values of all sorts, with fewer names than values, of
a point that is not told, outside of any call; a message that was cut; names with commas in quotes and parentheses."""
from log import *

def point(number, what="scope", **told):
    return facts(point=number, point_kind=what, point_function="work", point_file="work.c", point_line=10, point_level=1, point_address="1a010", **told)[:-1]

write(program() + chunk(POINTS, point(1) + point(2, "checkpoint", point_label="start",
                                                 point_values="\"start\", n, f(a, \",\"), ',', last") +
                        point(3, "message") + point(4, "value", point_values="x") + point(6) +
                        point(7, "no such thing") + point(0) + point(1 << 24) +
                        facts(point="x", point_kind="scope")),
      thread_chunk(
    checkpoint(2, 5), define(1, MAIN, SHELL), enter(1), scope(2, 1, MAIN + 0x10), enter(2),
    checkpoint(2, -300, text("a\n\"b\""), 44, real(1.5), pointer(0), NO_ROOM),
    checkpoint(3, text("cut h", cut=True)), checkpoint(4, (1 << 64) - 1), checkpoint(9, 1), checkpoint(2),
    scope(3, 5, MAIN + 0x20), enter(3), leave(), leave(), scope(4, 6, MAIN + 0x10), enter(4), checkpoint(7, 3), leave(), leave()),
    chunk(THREAD, facts(given_name="the worker")), chunk(THREAD, facts(name="program")))
