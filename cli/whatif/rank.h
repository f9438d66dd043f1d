/* Which functions, locks and waits would shorten the run if they were faster, and by how much. */
#ifndef FISQL_CLI_WHATIF_RANK_H
#define FISQL_CLI_WHATIF_RANK_H

#include "cli/whatif/replay.h"

enum rank_kind { RANK_FUNCTION, RANK_LOCK, RANK_WAIT };

#define RANK_LEVELS 3
extern const int rank_levels[RANK_LEVELS]; /* percent faster: 10, 50, 100 */

struct rank_row {
    enum rank_kind kind;
    uint32_t index; /* class, or lock */
    int64_t own_ns; /* own time, or what was waited */
    double saved_ns[RANK_LEVELS];
    double change_ns; /* hooks' cost in what is changed */
};

struct rank {
    struct rank_row *rows; /* what saves most first */
    size_t count, capacity;
};

/* plan: without changes. base_ns: how long the run takes. rows: how many to find. 0, or 2 after
 * saying what is wrong; the caller frees rank->rows. */
int rank_find(const struct replay_plan *plan, double base_ns, size_t rows, struct rank *rank);

#endif
