/*
 * Reading the program's memory at addresses that may be anything, from within a hook: never faults,
 * blocks, or calls the C library.
 *
 * Read directly: the calling thread's stack from the hook's frame up, and what is only read of the
 * modules that the process began with, which cannot be unloaded (string literals lie there). In a
 * process with a single thread, where nobody else is there to unmap it: the heap between the first brk()
 * and the present one, and a page that the kernel has just found readable (probe()). What is left is read by
 * process_vm_readv() on the process itself, which takes eight times as long as a probe.
 *
 * The program may take away memory that is read directly, by protecting or unmapping it; values_guard.c notices,
 * and from then on the kernel is asked (read_taken()). The kernel only says that a page cannot be read: no
 * handler of the program's is called for it.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_READ_H
#define FISQL_COLLECTOR_VALUES_VALUES_READ_H

#include "collector/core/stack.h"

#include <stddef.h>

/* The stack from which a hook, or what records a result, reads. */
struct read_stack {
    struct stack_bounds *bounds;
    uint64_t from; /* the hook's frame address */
    bool hook;     /* it is one, with its registers (values_keep()): bounds may be asked for */
};

/* Reads up to `size` bytes. Returns how many there were before one that cannot be read. */
size_t read_memory(const struct read_stack *stack, uint64_t address, void *into, size_t size);
/* Likewise, at most to the first NUL, which counts. */
size_t read_text(const struct read_stack *stack, uint64_t address, void *into, size_t size);

/* Memory of a module that cannot be unloaded and is only read. */
void read_constants(uint64_t start, uint64_t end);
void read_setup(void);
/* The program forbids the system call from now on. */
void read_forbid(void);
/* The program takes away the right to read there, or the memory. The stack is the calling thread's, NULL = not known. */
void read_taken(const struct stack_bounds *stack, uint64_t start, uint64_t bytes);
/* The program fills pages itself when they are touched (userfaultfd(2)): to read one, by whatever way, would
 * wait for that. From now on only the stack and constants are read. */
void read_forbid_pages(void);
/* Times that process_vm_readv() was refused, and with what. */
uint64_t read_refused(int *error);

#endif
