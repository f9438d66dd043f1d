/* Recipes that processes ask for: see late_recipes.h. */
#include "cli/record/late_recipes.h"

#include "cli/record/record_values.h"
#include "cli/record/robust.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static void *answer_all(void *context)
{
    struct late_recipes *recipes = context;
    struct fisql_late *late = recipes->late;
    struct robust robust;
    robust_set(&robust, &late->alive);
    __atomic_store_n(&late->alive, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    while (__atomic_load_n(&recipes->stop, __ATOMIC_ACQUIRE) == 0) {
        uint32_t seen = __atomic_load_n(&late->wake, __ATOMIC_ACQUIRE);
        for (uint32_t i = 0; i < FISQL_LATE_MAX; i++)
            if (__atomic_load_n(&late->modules[i].state, __ATOMIC_ACQUIRE) == FISQL_LATE_ASKED)
                answer(recipes, &late->modules[i]);
        syscall(SYS_futex, &late->wake, FUTEX_WAIT, seen, NULL, NULL, 0);
    }
    __atomic_store_n(&late->alive, 0, __ATOMIC_RELEASE);
    robust_clear(&robust);
    return NULL;
}

void late_recipes_start(struct late_recipes *recipes, struct live *live,
                        const struct record_values *values)
{
    *recipes = (struct late_recipes){.live = live, .values = values};
    if (live->area->parts.late.bytes == 0)
        return;
    void *memory = mmap(NULL, sizeof *recipes->late, PROT_READ | PROT_WRITE, MAP_SHARED,
                        live->memory, (off_t)live->area->parts.late.offset);
    if (memory == MAP_FAILED)
        return;
    recipes->late = memory;
    recipes->late->alive = (uint32_t)getpid(); /* the program may be quicker than the thread */
    recipes->started = pthread_create(&recipes->thread, NULL, answer_all, recipes) == 0;
    if (!recipes->started)
        recipes->late->alive = 0;
}

void late_recipes_end(struct late_recipes *recipes)
{
    if (recipes->started) {
        __atomic_store_n(&recipes->stop, 1, __ATOMIC_RELEASE);
        __atomic_fetch_add(&recipes->late->wake, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &recipes->late->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
        pthread_join(recipes->thread, NULL);
    }
    if (recipes->late != NULL)
        munmap(recipes->late, sizeof *recipes->late);
    recipes->started = false;
}
