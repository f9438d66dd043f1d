/*
 * Results by class, and what the caller returned then: did it pass a failure on?
 *
 * A call's result waits at its caller until the caller ends and its own result is known. At each
 * open call its callees' results wait, by function and class. The waiting results of all open calls
 * lie one behind another: calls end in the opposite order of their entries.
 *
 * Zero-initialised is empty and may be released.
 */
#ifndef FISQL_LOADER_VALUES_RESULT_FLOWS_H
#define FISQL_LOADER_VALUES_RESULT_FLOWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "loader/values/value_form.h"

#define WAITING_MAX 256u /* functions and classes at a call; more do not wait for its result */

struct waiting_results {
    uint32_t function; /* functions.id */
    uint32_t class;    /* enum value_class */
    uint64_t calls, first_call;
    uint64_t last; /* the hash of the last result */
};

struct result_flow {
    uint64_t calls, same, first_call;
};

struct result_flows {
    struct intern keys; /* function and class; caller and its class */
    struct result_flow *items;
    size_t items_capacity;
    struct waiting_results *waiting;
    size_t waiting_count, waiting_capacity;
};

void result_flows_release(struct result_flows *flows);

/* A call gave a result. `from`: where its caller's (functions.id) waiting results begin; they are
 * the last ones. */
int result_flows_wait(struct result_flows *flows, size_t from, uint32_t caller,
                      const struct waiting_results *result, struct error *error);

/* The call whose waiting results begin at `from` has ended. class, hash: of its result
 * (VALUE_CLASS_NONE = it has none); caller: its functions.id, 0 = the results have no caller. */
int result_flows_settle(struct result_flows *flows, size_t from, uint32_t caller,
                        enum value_class class, uint64_t hash, struct error *error);

int result_flows_merge(struct result_flows *into, const struct result_flows *from,
                       struct error *error);

#endif
