/*
 * Calls that are written as one event (FISQL_CODE_LEAF): where not all calls are timed, those of functions
 * that call nothing and are soon over, in programs that are recorded as they are. For us such a call is over
 * as it begins.
 */
#ifndef FISQL_COLLECTOR_CORE_LEAF_H
#define FISQL_COLLECTOR_CORE_LEAF_H

#include <stdint.h>

/* The calling thread was interrupted at `code`, with this stack pointer. If that is in the function of such a
 * call, and this is the last event, opens the call again. For a signal's handler; keeps errno. */
void leaf_open_again(uint64_t code, uint64_t stack);

#endif
