/* What `fisql whatif` found, and how it is printed. */
#ifndef FISQL_CLI_WHATIF_ANSWER_H
#define FISQL_CLI_WHATIF_ANSWER_H

#include "cli/whatif/rank.h"

struct answer_change {
    const char *text; /* NULL = all together */
    const char *told;
    double predicted_ns, saved_ns, error_ns;
    long long forced;
};

struct answer {
    const struct graph *graph;
    double processors;
    double recorded_ns, replayed_ns; /* both with the hooks' cost */
    double run_ns;                   /* without it */
    double busy_share; /* of the run in which threads ran that had to share processors */
    struct replay_path before, after; /* after.run_ns NULL: no change */
    struct answer_change changes[CHANGES_MAX + 1];
    size_t changes_count;
    struct rank rank;
};

void answer_print(const struct answer *answer);
void answer_print_json(const struct answer *answer);

/* By how much what is saved may be off: as far as a replay of the run as it was is off, and by what
 * is not known of the hooks' cost in what is changed. */
double answer_error(const struct answer *answer, double saved_ns, double hooks_ns);

#endif
