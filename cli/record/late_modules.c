/* What processes ask about modules: see late_modules.h. */
#include "cli/record/late_modules.h"

#include "cli/record/record_values.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The entry comes from a program that may have gone wild: we read each field once. */
static struct fisql_late_module copy_of(const struct fisql_late_module *module)
{
    struct fisql_late_module copy = *module;
    copy.path[sizeof copy.path - 1] = copy.build_id[sizeof copy.build_id - 1] = 0;
    return copy;
}

/* Puts bytes into the live area, and frees them. */
static struct fisql_live_part put(struct live *live, void *bytes, uint64_t count)
{
    struct fisql_live_part part = {0, 0};
    uint64_t offset;
    if (bytes != NULL && live_put(live, bytes, count, &offset))
        part = (struct fisql_live_part){offset, count};
    free(bytes);
    return part;
}

static void answer(struct late_modules *modules, struct fisql_late_module *module)
{
    const struct fisql_late_module asked = copy_of(module);
    bool named = asked.path[0] == '/';
    char *recipes = NULL, without[RECORD_WITHOUT] = "";
    void *plan = NULL;
    uint64_t recipes_bytes = 0, plan_bytes = 0;
    bool for_plan = (asked.flags & FISQL_LATE_PLAN) != 0;
    if (named && for_plan)
        plan = record_patch_plan(modules->options, &asked, &modules->summary, &plan_bytes);
    if (named && (asked.flags & FISQL_LATE_RECIPES) != 0 && (plan != NULL || !for_plan))
        record_values_of(modules->options, &asked, for_plan, &recipes, &recipes_bytes, without);
    if (modules->summary.without[0] == 0)
        snprintf(modules->summary.without, sizeof modules->summary.without, "%s", without);
    module->recipes = put(modules->live, recipes, recipes_bytes);
    module->plan = put(modules->live, plan, plan_bytes);
    __atomic_store_n(&module->state, FISQL_LATE_ANSWERED, __ATOMIC_RELEASE);
    syscall(SYS_futex, &module->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void answer_all(void *context)
{
    struct late_modules *modules = context;
    struct fisql_late *late = modules->mailbox.part;
    for (uint32_t i = 0; i < FISQL_LATE_MAX; i++)
        if (__atomic_load_n(&late->modules[i].state, __ATOMIC_ACQUIRE) == FISQL_LATE_ASKED)
            answer(modules, &late->modules[i]);
}

void late_modules_start(struct late_modules *modules, struct live *live,
                        const struct record_options *options)
{
    *modules = (struct late_modules){.live = live, .options = options};
    mailbox_start(&modules->mailbox, live, live->area->parts.late, answer_all, modules);
}

void late_modules_end(struct late_modules *modules)
{
    const struct fisql_late *late = modules->mailbox.part;
    for (uint32_t i = 0; late != NULL && i < FISQL_LATE_MAX; i++)
        if (__atomic_load_n(&late->modules[i].state, __ATOMIC_ACQUIRE) == FISQL_LATE_ANSWERED)
            patch_summary_add(&modules->summary, &late->modules[i]);
    mailbox_end(&modules->mailbox, false);
}
