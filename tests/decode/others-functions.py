"""Functions of another tool's recording are points: of all processes, and one of this process that lies in a module and is not
told otherwise; of two static ones of one name; a library's; with parameters by name, one of them absent. Names are as
they are, parentheses too. A counter and a mark have values, of any name; calls have no site."""
from log import *

def point(number, what, **told):
    return facts(point=number, point_kind=what, **told)[:-1]

write(chunk(RUN, facts(source="chrome", options="no-alloc,no-waits"), process=0) + program() +
      chunk(POINTS, point(1, "function", point_function="Source (main.c) => x", point_values="detail\nsize, in (bytes)") +
            point(2, "function of a library", point_function="write") +
            point(3, "counter", point_label="load (1)", point_values="user, system\nidle") +
            point(4, "mark", point_label="now", point_values="why"), process=0) +
      chunk(POINTS, point(5, "function", point_function="helper(int)", point_address="1c000") +
            point(6, "function", point_function="helper(int)", point_address="1d000")),
      thread_chunk(
    scope(1, 1, 0), enter(1), arguments(text("main.c"), 4096), scope(2, 2, 0), enter(2), leave(), checkpoint(4, text("because")),
    leave(), enter(1), arguments(ABSENT, 7), scope(5, 5, 0), enter(5), leave(), scope(6, 6, 0), enter(6), leave(),
    checkpoint(3, 1, real(0.5)), leave(), scope(7, 7, 0), enter(7), leave()))
