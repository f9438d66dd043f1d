/* Takes back a change of the counts (count.c) that a nested hook has interrupted. */
#ifndef FISQL_COLLECTOR_CORE_COUNT_UNDO_H
#define FISQL_COLLECTOR_CORE_COUNT_UNDO_H

#include <stdint.h>

struct thread_log;

/* What a change of the counts is about to overwrite. */
struct count_undo {
    uint32_t active;
    uint32_t at;      /* the record that is changed, 0 = none yet */
    uint32_t defined; /* dictionary slot that is defined, plus 1; 0 = none */
    uint32_t hidden, hidden_inherited, blind;
    uint64_t word, last_tick;
    uint16_t units[8];
};

/* For a nested hook, before it abandons a log: undoes an unfinished change. */
void count_undo(struct thread_log *log);

#endif
