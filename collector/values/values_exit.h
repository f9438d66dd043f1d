/* Values at the exit of calls: see values_exit.c. */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_EXIT_H
#define FISQL_COLLECTOR_VALUES_VALUES_EXIT_H

#include "collector/values/values_capture.h"
#include "collector/values/values_recipes.h"

#define KEPT_CALLS_MAX 512u /* of a thread, open at the same time */

/* A call that keeps words for its exit. */
struct kept_call {
    const struct recipe *recipe;    /* of its entry */
    uint64_t function, stack, tick; /* as its entry of the shadow stack has them */
    uint32_t depth;                 /* and the index of that */
    uint32_t known;                 /* a bit for each word */
    uint64_t words[FISQL_RECIPE_KEPT_MAX];
};

/* Those of a thread, the outermost first: depths ascend. Some have ended. */
struct kept_calls {
    uint32_t count;
    struct kept_call items[KEPT_CALLS_MAX];
};

/* Keeps the words that a value at the exit needs (FISQL_WHERE_KEEP), for the call that is being
 * entered. The log is busy. The bytes from writer.at on are written to, and mean nothing after. */
void kept_add(struct thread_log *log, const struct capture *capture, const struct recipe *recipe,
              const struct fisql_recipe_value *value, struct value_writer writer);

/* Calls whose values at the exit were lost because too many kept some, since the last call. */
uint64_t kept_lost_take(void);

/* Those of the calling thread; NULL = none of its calls has kept words. */
extern HIDDEN THREAD_LOCAL struct kept_calls *kept_own;

/* Of values_tables.c: makes room for the calling thread's. NULL = there is none. */
struct kept_calls *results_kept(void);

#endif
