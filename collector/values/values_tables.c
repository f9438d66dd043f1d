/* Tables of threads: see values_tables.h. */
#include "collector/values/values_tables.h"

#include "collector/core/quiet.h"
#include "collector/core/reserve.h"
#include "collector/process/process.h"
#include "collector/values/values_result.h"

#include <sys/syscall.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define TABLES_MAX 1024u /* threads that await results at the same time */
#define TABLES_BYTES (TABLES_MAX * sizeof(struct table))
#define KEPT_BYTES (TABLES_MAX * sizeof(struct kept_calls))

static struct reserve tables_memory;
static struct reserve kept_memory; /* for values_exit.c: of each table that needs it */
static uint32_t tables_used;       /* tables before this one were owned once */
THREAD_LOCAL struct table *own_table;
static THREAD_LOCAL bool no_table; /* there was none left */

static bool owner_gone(uint32_t owner)
{
    return owner == 0 || syscall(SYS_tgkill, (long)process.pid, (long)owner, 0L) != 0;
}

static APART struct table *table_take(void)
{
    struct quiet quiet;
    if (silent())
        return NULL;
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    quiet_begin(&quiet);
    struct table *found = own_table, *tables;
    for (uint32_t i = 0; found == NULL && i < TABLES_MAX; i++) {
        if (!reserve_grow(&tables_memory, TABLES_BYTES, (i + 1) * sizeof *tables))
            break;
        tables = reserve_start(&tables_memory);
        uint32_t owner = __atomic_load_n(&tables[i].owner, __ATOMIC_RELAXED);
        if (owner != 0 && (i < TABLES_MAX / 2 || !owner_gone(owner)))
            continue; /* the first half is for threads that give theirs back */
        if (!__atomic_compare_exchange_n(&tables[i].owner, &owner, tid, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        found = &tables[i];
        uint32_t used = __atomic_load_n(&tables_used, __ATOMIC_RELAXED);
        while (used <= i && !__atomic_compare_exchange_n(&tables_used, &used, i + 1, false,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            ;
    }
    if (found != NULL && found->places == 0)
        found->places = 1;
    own_table = found;
    no_table = found == NULL;
    quiet_end(&quiet);
    return found;
}

struct table *table_get(void)
{
    return own_table != NULL || no_table ? own_table : table_take();
}

struct table *tables_all(uint32_t *count)
{
    *count = __atomic_load_n(&tables_used, __ATOMIC_ACQUIRE);
    return reserve_start(&tables_memory);
}

void results_prepare(void)
{
    table_get();
}

struct kept_calls *results_kept(void)
{
    struct table *table = table_get();
    if (table == NULL)
        return NULL;
    size_t index = (size_t)(table - (struct table *)reserve_start(&tables_memory));
    if (!reserve_grow(&kept_memory, KEPT_BYTES, (index + 1) * sizeof(struct kept_calls)))
        return NULL;
    return (struct kept_calls *)reserve_start(&kept_memory) + index;
}

void results_release(void)
{
    struct table *table = own_table;
    if (table == NULL)
        return;
    for (uint32_t i = 0; i < table->places; i++)
        if (table->frame[i] != 0)
            return; /* a coroutine's, perhaps */
    if (kept_own != NULL)
        kept_own->count = 0;
    kept_own = NULL;
    own_table = NULL;
    __atomic_store_n(&table->owner, 0, __ATOMIC_RELEASE);
}

void tables_forked(void)
{
    if (own_table != NULL)
        own_table->owner = (uint32_t)syscall(SYS_gettid);
}
