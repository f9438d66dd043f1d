"""Each block of new, of new[] and of malloc is freed by each of delete, delete[] and free: only those of one
family match, and the aligned and sized forms belong to the same families."""
from log import *

made = ("new", "new(align)", "new[]", "new[](align)", "malloc", "aligned_alloc")
freed = ("delete", "delete(size)", "delete(align)", "delete[]", "delete[](size)", "delete[](align)", "free")
happened, address = [], 0x500000
for i, how in enumerate(made):
    happened.append(define_site(1, MAIN + 0x40 + i))
    for kind in freed:
        happened += [alloc(1, address, 8, how, delta=1), free(1, address, kind, delta=1)]
        address += 0x20
write(program(), thread_chunk(*happened))
