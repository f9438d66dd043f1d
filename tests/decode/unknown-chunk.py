"""Chunks of a kind that the format does not have, sound as they are, cannot be told from damage: each is a hole.
What is around them is read."""
from log import *

write(program(), chunk(9, b"new kind"), thread_chunk(define(1, MAIN, SHELL), enter(1), leave()), chunk(0, b"none"))
