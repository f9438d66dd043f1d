/* Asks fisql record which functions a pattern means (formats/live_calls.h). */
#ifndef FISQL_COLLECTOR_CALLS_CALLS_ASK_H
#define FISQL_COLLECTOR_CALLS_CALLS_ASK_H

#include "collector/core/feature.h"
#include "formats/live_calls.h"

#include <stdbool.h>
#include <stdint.h>

/* A question about a module. */
struct calls_asked {
    struct fisql_call_names *entry;
    uint64_t bias;
};

/* Takes the part of the live area. */
void calls_ask_load(const struct fisql_live_parts *parts);
/* Is there a fisql record that answers? */
bool calls_can_ask(void);
/* The plugin's path, "" = there is none. It stays. */
const char *calls_plugin(void);

/* Does the module hold no functions that anybody could mean: the C library's, the collector's? */
bool calls_is_left(const struct feature_module *module);

/* Asks, unless somebody has; not about a module whose file is gone: its answer is empty. False if
 * there is no room, or nobody answers. `program`: the program's path. Changes errno. Signals are
 * blocked. */
bool calls_ask(struct calls_asked *question, const struct feature_module *module,
               const char *program, const char *pattern);
/* Waits for the answer until `end_ns`. Gives the number of functions, and `count` addresses of
 * their code in the module's file, NULL = none. False if it does not come. */
bool calls_answer(const struct calls_asked *question, uint64_t end_ns, uint32_t *functions,
                  const uint64_t **addresses, uint64_t *count);
void calls_answer_release(const uint64_t *addresses, uint64_t count);

/* Memory for a while, empty; NULL = none. */
void *calls_scratch(uint64_t bytes);
void calls_scratch_release(void *memory, uint64_t bytes);

#endif
