"""A plugin is unloaded and another one loaded at the same addresses, with another bias: an address means a
function of the one before and of the other one after, in frames and in sites."""
from log import *

PLUGIN = 0x40100
main = (MAIN, SHELL, START + 10)
place = dict(start=0x40000, end=0x50000)
write(program(),
      module("/nonexistent/one.so", bias=0x40000, tick=START + 20, **place),
      thread_chunk(define(1, MAIN, SHELL), enter(1), define(2, PLUGIN, MAIN + 0x10), enter(2, 20), leave()),
      module(event="unload", bias=0x40000, tick=START + 50, **place),
      module("/nonexistent/two.so", bias=0x3F000, tick=START + 60, **place),
      thread_chunk(define(2, PLUGIN, MAIN + 0x10), enter(2, 40), define(3, LEAF, PLUGIN + 0x20), enter(3), leave(), leave(),
                   leave(), sequence=1, first_call=2, tick=START + 40, opened=[main]))
