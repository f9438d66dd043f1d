/* Throwing out of a call: see faults_throw.c. */
#ifndef FISQL_COLLECTOR_FAULTS_FAULTS_THROW_H
#define FISQL_COLLECTOR_FAULTS_FAULTS_THROW_H

#include "formats/fault.h"

#include <stdbool.h>
#include <stdint.h>

/* What to throw. */
struct fault_thrown {
    const char *type;                      /* NAME, NUL, TEXT */
    const struct fisql_fault_class *class; /* of the program's; NULL = of the standard library */
    uint64_t bias;                         /* what to add to the class's addresses */
};

/* Throws it. Returns only if the program lacks the type, or there is no memory. */
void faults_throw(const struct fault_thrown *thrown);
/* Can it be thrown? */
bool faults_can_throw(const struct fault_thrown *thrown);

#endif
