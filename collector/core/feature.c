/* Calls the features: see feature.h. */
#include "collector/core/feature.h"

#include <stddef.h>

/* EACH(member)(arguments): calls that function of each feature that has it. */
#define EACH(member)                                                                               \
    for (const struct feature *const *at = features; *at != NULL; at++)                            \
        if ((*at)->member != NULL)                                                                 \
    (*at)->member

void features_load(const struct fisql_live_parts *parts)
{
    EACH(load)(parts);
}

bool features_without_memory(void)
{
    for (const struct feature *const *at = features; *at != NULL; at++)
        if ((*at)->without_memory != NULL && (*at)->without_memory())
            return true;
    return false;
}

void features_deciding(bool at_start)
{
    EACH(deciding)(at_start);
}

void features_begin(void)
{
    EACH(begins)();
}

void features_start(void)
{
    EACH(starts)();
}

void features_module(const struct feature_module *module)
{
    EACH(module)(module);
}

void features_constants(uint64_t start, uint64_t end)
{
    EACH(constants)(start, end);
}

void features_forked(void)
{
    EACH(forked)();
}

void features_thread_begins(void)
{
    EACH(thread_begins)();
}

void features_thread_ends(void)
{
    EACH(thread_ends)();
}

void features_thread_gone(void)
{
    EACH(thread_gone)();
}

void features_jump(void)
{
    EACH(jumps)();
}

void features_mismatch(uint64_t function, uint64_t site, uint64_t stack)
{
    EACH(mismatch)(function, site, stack);
}

void features_forbidden(enum feature_forbidden what)
{
    EACH(forbidden)(what);
}

void features_called(long number, const long argument[6])
{
    EACH(called)(number, argument);
}

void features_ending(void)
{
    EACH(ending)();
}

void features_ended(void)
{
    EACH(ended)();
}
