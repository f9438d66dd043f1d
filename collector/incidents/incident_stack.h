/* Smashed stacks: see incident_stack.c. */
#ifndef FISQL_COLLECTOR_INCIDENTS_INCIDENT_STACK_H
#define FISQL_COLLECTOR_INCIDENTS_INCIDENT_STACK_H

#include "collector/incidents/trouble.h"

/* Looks for open calls that have lost their return addresses; adds what it finds to the text. */
void incident_look(struct trouble *trouble);
/* Looks where the innermost open call called the library in which it happened. */
void incident_find_caller(struct trouble *trouble);

/* Keeps a word that may be a block's address. */
void incident_pointer(struct trouble *trouble, uint64_t word);
/* Reads the frame of the innermost open call, from its lower end. Returns the number of words. */
uint32_t incident_frame(const struct trouble *trouble, uint64_t *words, uint32_t most);

#endif
