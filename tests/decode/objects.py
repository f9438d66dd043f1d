"""Objects of which the program tells. 0x5000: a diary over two threads, with a state that is a number and one in
UTF-8, told; 0x5100: references that are all given back, in an order that only the counts tell, then another life at the
same address, still held; 0x5200: given back too often; 0x5300: taken and given back behind its end, gone twice; 0x5400:
gone while held; 0x5500: held since before anything was told; 0x5600: told behind its end by a thread that was put aside,
which is no error; 0x5700, 0x5800: so late that the next life had begun at the same address."""
from log import *

A, B = MAIN + 0x10, WORK + 0x10
write(program(),
      thread_chunk(define(1, MAIN, SHELL), enter(1), keep(A, 0x5000, b"made"), keep(A, 0x5000, -7),
                   ref(A, 0x5100, 0), ref(A, 0x5100, 1), unref(A, 0x5100, 1), gone(A, 0x5100), keep(A, 0x5100, b"again"),
                   ref(A, 0x5100, 0),
                   ref(A, 0x5200, 0), unref(A, 0x5200, 1), unref(A, 0x5200, 0), unref(A, 0x5200, -1),
                   ref(A, 0x5300, 0), unref(A, 0x5300, 1), gone(A, 0x5300), unref(A, 0x5300, 1), gone(A, 0x5300),
                   ref(A, 0x5400, 0), gone(A, 0x5400),
                   unref(A, 0x5500, 3),
                   ref(A, 0x5600, 0), ref(A, 0x5600, 1), unref(A, 0x5600, 1), gone(A, 0x5600),
                   ref(A, 0x5700, 0), ref(A, 0x5700, 1), unref(A, 0x5700, 1), gone(A, 0x5700), ref(A, 0x5700, 0),
                   ref(A, 0x5800, 0), unref(A, 0x5800, 2), unref(A, 0x5800, 1), gone(A, 0x5800), ref(A, 0x5800, 0),
                   time_passes(1000), unref(A, 0x5700, 1), gone(A, 0x5700), unref(A, 0x5800, 1), gone(A, 0x5800),
                   leave()),
      thread_chunk(define(1, WORK, SHELL), enter(1, 25), keep(B, 0x5000, "zerstört €".encode()), tell(B, 0x5000),
                   unref(B, 0x5100, 2, 5), time_passes(100), ref(B, 0x5300, 1), time_passes(200), unref(B, 0x5600, 2),
                   time_passes(300), unref(B, 0x5700, 2), ref(B, 0x5800, 1), leave(), keep(SHELL, 0x5000, b""), thread=1, tid=101),
      chunk(THREAD, facts(start_tick=START)), chunk(THREAD, facts(start_tick=START), thread=1, tid=101))
