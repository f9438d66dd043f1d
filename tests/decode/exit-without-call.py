"""An exit where no call is open breaks the format's rules: what came before it in the chunk stays, the call
after it is lost; the thread's next chunk is as good as ever."""
from log import *

write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave(), leave(), enter(1), leave()),
      thread_chunk(define(1, MAIN, SHELL), enter(1), leave(), sequence=1, first_call=2, tick=START + 60))
