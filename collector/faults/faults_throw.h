/* Throwing out of a call: see faults_throw.c. */
#ifndef FISQL_COLLECTOR_FAULTS_FAULTS_THROW_H
#define FISQL_COLLECTOR_FAULTS_FAULTS_THROW_H

#include <stdbool.h>

/* Throws an exception of a type of the standard library (NAME, NUL, TEXT). Returns only if the
 * program lacks the type, or there is no memory. */
void faults_throw(const char *type);
/* Can it be thrown? */
bool faults_can_throw(const char *type);

#endif
