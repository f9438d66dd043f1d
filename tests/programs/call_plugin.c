/* A plugin for `fisql record --plugin`: counts the calls of functions that match $PLUGIN_PATTERN, and
 * says so when the process ends. */
#include "collector/fisql.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic long begun, ended;
static int matches;
static char *told; /* allocated, and never freed: not the program's leak */

static void count(const struct fisql_call *call, void *data)
{
    (void)data;
    if (call->ends)
        ended++;
    else
        begun++;
}

void fisql_plugin(void);

void fisql_plugin(void)
{
    const char *pattern = getenv("PLUGIN_PATTERN");
    told = malloc(4321);
    matches = fisql_on_call(pattern != NULL ? pattern : "*", count, NULL);
}

static __attribute__((destructor)) void finish(void)
{
    fprintf(stderr, "plugin: matches %d begun %ld ended %ld\n", matches, (long)begun, (long)ended);
}
