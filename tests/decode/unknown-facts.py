"""Keys that no reader knows are skipped in every kind of facts; the run's are kept, as they are, in its table."""
from log import *

write(chunk(RUN, facts(command="program --fast", version="9.9", moon="full", tides=12), process=0),
      process(ticks_per_second=1000000000, moon="full"),
      chunk(MODULES, facts(module=MODULE, event="load", moon="full", bias="0", start="10000", end="20000", tick=5)),
      chunk(THREAD, facts(moon="full", name="main")),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave()),
      chunk(LOSS, facts(moon="full", reason="a new reason", calls=1)),
      chunk(END, facts(moon="full", how="exit", status=0)))
