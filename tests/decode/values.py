"""Arguments and results of every kind: numbers of all widths, pointers, floats of all sizes (some are no doubles), a
struct, text with what is escaped, text that was cut in the middle of a character, what is not known; a call without
arguments, one without a result, one that is unwound, one in a call of its own function; errno."""
from log import *

LONG = "long" * 20
TENTH_X87 = bytes.fromhex("cdccccccccccccccfb3f")
TENTH_QUAD = bytes.fromhex("9a999999999999999999999999 99fb3f".replace(" ", ""))
write(program(), thread_chunk(
    define(1, MAIN, SHELL), define(2, WORK, MAIN + 16), define(3, LEAF, WORK + 16), define(4, OTHER, MAIN + 32), enter(1),
    arguments(2, pointer(0x7FFFFFFF0000), pointer(0)),
    enter(2), arguments(-32, 127, 128, -33, 1 << 31, -1 << 63, 1 << 63, (1 << 64) - 1), leave(), result(0),
    enter(2), arguments(-32, 127, 128, -33, 1 << 31, -1 << 63, 1 << 63, ABSENT), leave(), result(0),
    enter(3), arguments(real(0.1), real(0.1, "f"), real(float("nan")), real(float("-inf")), real(TENTH_X87), real(TENTH_QUAD),
                        real(bytes.fromhex("00000000000000c00040"))), leave(), result(real(2.5)),
    enter(4), arguments(text("plain"), text("tab\tquote\"back\\slash\nbell\x07"), text(b"\xffno\xc3"), text(LONG),
                        text("caf\xe9".encode("latin-1"), cut=True), text("caf\xc3\xa9".encode("latin-1")[:4], cut=True), text("")),
    leave(), result(text(LONG, cut=True)),
    enter(4), arguments(pointer(0), UNREADABLE, NO_ROOM, *[text("")] * 4), enter(4), arguments(*[text("inner")] * 7), unwind(2),
    enter(4), leave(), result(pointer((1 << 64) - 16)),
    define(5, OTHER + 16, MAIN + 16), enter(5), arguments(struct_bytes(b"\x01\x02\xff")), leave(),
    leave(), result(-1, 2)))
