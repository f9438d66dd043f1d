/*
 * Reads the program's memory at any address, from within a hook: never faults, blocks, or calls the
 * C library.
 *
 * We read directly: the calling thread's stack from the hook's frame up, and the read-only memory
 * of the modules that the process began with, which cannot be unloaded (string literals lie there).
 * In a process with a single thread, where nobody else can unmap it, also the heap between the
 * first brk() and the present one, and a page that the kernel has just found readable (probe()). We
 * read the rest by process_vm_readv() on the process itself, which takes eight times as long as a
 * probe.
 *
 * If the program protects or unmaps memory that we read directly, values_guard.c notices, and from
 * then on we ask the kernel (read_taken()). The kernel only says that a page cannot be read: it
 * calls no handler of the program.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_READ_H
#define FISQL_COLLECTOR_VALUES_VALUES_READ_H

#include "collector/core/stack.h"

#include <stddef.h>

/* The stack from which a hook, or the recording of a result, reads. */
struct read_stack {
    struct stack_bounds *bounds;
    uint64_t from; /* the hook's frame address */
    bool hook;     /* a hook with kept registers (values_keep()) may ask for the bounds */
};

/* Reads up to `size` bytes. Returns how many precede the first unreadable one. */
size_t read_memory(const struct read_stack *stack, uint64_t address, void *into, size_t size);
/* The same, at most up to the first NUL, which counts. */
size_t read_text(const struct read_stack *stack, uint64_t address, void *into, size_t size);

/* Names read-only memory of a module that cannot be unloaded. */
void read_constants(uint64_t start, uint64_t end);
void read_setup(void);
/* The program forbids the system call from now on. */
void read_forbid(void);
/* The program unmaps this memory or forbids to read it. The stack is the calling thread's, NULL =
 * not known. */
void read_taken(const struct stack_bounds *stack, uint64_t start, uint64_t bytes);
/* The program fills pages itself when they are touched (userfaultfd(2)): every way of reading one
 * would wait for that. From now on we read only the stack and constants. */
void read_forbid_pages(void);
/* How often process_vm_readv() was refused, and the last errno. */
uint64_t read_refused(int *error);

#endif
