"""Notes: in UTF-8, with control characters (escaped on the way out, as they are in the database), of an odd
and of an even length, empty, within a call and outside of any."""
from log import *

write(program(), thread_chunk(
    note("begin"), define(1, MAIN, SHELL), enter(1), note("größer als 3 €"), note("red \x1b[31m\ttab\nline \\"),
    note(""), leave(), note("end.")))
