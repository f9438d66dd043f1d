/* Recipes that processes ask for: see late_recipes.h. */
#include "cli/record/late_recipes.h"

#include "cli/record/record_values.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The entry comes from a program that may have gone wild. */
static void answer(struct late_recipes *recipes, struct fisql_late_module *module)
{
    char path[FISQL_LATE_PATH_MAX + 1], build_id[sizeof module->build_id + 1];
    char *area = NULL;
    uint64_t bytes = 0, offset = 0;
    memcpy(path, module->path, sizeof module->path);
    memcpy(build_id, module->build_id, sizeof module->build_id);
    path[sizeof path - 1] = build_id[sizeof build_id - 1] = 0;
    if (path[0] == '/')
        record_values_of(recipes->values, path, module->device, module->inode, build_id, &area,
                         &bytes);
    bool there = area != NULL && live_put(recipes->live, area, bytes, &offset);
    module->recipes = (struct fisql_live_part){offset, bytes};
    free(area);
    __atomic_store_n(&module->state, there ? FISQL_LATE_READY : FISQL_LATE_NONE, __ATOMIC_RELEASE);
    syscall(SYS_futex, &module->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void answer_all(void *context)
{
    struct late_recipes *recipes = context;
    struct fisql_late *late = recipes->mailbox.part;
    for (uint32_t i = 0; i < FISQL_LATE_MAX; i++)
        if (__atomic_load_n(&late->modules[i].state, __ATOMIC_ACQUIRE) == FISQL_LATE_ASKED)
            answer(recipes, &late->modules[i]);
}

void late_recipes_start(struct late_recipes *recipes, struct live *live,
                        const struct record_values *values)
{
    *recipes = (struct late_recipes){.live = live, .values = values};
    mailbox_start(&recipes->mailbox, live, live->area->parts.late, answer_all, recipes);
}

void late_recipes_end(struct late_recipes *recipes)
{
    mailbox_end(&recipes->mailbox, false);
}
