/* The table of diaries: see diary_table.h. */
#include "collector/diary/diary_table.h"

#include "collector/core/quiet.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define WAYS 8u /* places for an object */
/* One more than we read: while one is being written (and a signal handler interrupts that, say),
 * the others suffice. */
#define PLACES (DIARY_MOMENTS + 1)

/* `state` is the moment's order times 2, plus 1 while it is being written; 0 = empty. */
struct place {
    uint64_t state; /* atomic */
    struct moment moment;
};

struct object {
    uint64_t key;  /* atomic: see key_of(); 0 = free */
    uint64_t last; /* atomic: order of the last moment */
    uint32_t next; /* atomic: counts its moments */
    uint32_t gone; /* atomic */
    struct place places[PLACES];
};

struct table {
    uint64_t order; /* atomic: of the last moment */
    uint64_t lost;  /* atomic: objects that lost their moments */
    struct object objects[DIARY_OBJECTS];
};

static struct table *table; /* NULL = nothing is kept yet */

static struct table *table_map(void)
{
    struct table *there = __atomic_load_n(&table, __ATOMIC_ACQUIRE), *mine;
    struct quiet quiet;
    if (there != NULL || silent())
        return there;
    quiet_begin(&quiet);
    mine = mmap(NULL, sizeof *mine, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mine != MAP_FAILED && !__atomic_compare_exchange_n(&table, &there, mine, false,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        munmap(mine, sizeof *mine); /* another thread was quicker */
    quiet_end(&quiet);
    return __atomic_load_n(&table, __ATOMIC_ACQUIRE);
}

/* References have places of their own: else many of them would push out the states. User addresses
 * are below 2^63, and no object lies at 0. */
static uint64_t key_of(uint64_t object, bool reference)
{
    return (object << 1 | reference) + 2;
}

static bool is_reference(uint32_t kind)
{
    return kind == FISQL_OBJECT_REF || kind == FISQL_OBJECT_UNREF || kind == FISQL_OBJECT_GONE;
}

/* The first of the places that a key can have. */
static struct object *ways_of(struct table *all, uint64_t key)
{
    uint64_t hash = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
    return &all->objects[(hash >> 40) % (DIARY_OBJECTS / WAYS) * WAYS];
}

static struct object *find(struct table *all, uint64_t key)
{
    struct object *ways = ways_of(all, key);
    for (uint32_t i = 0; i < WAYS; i++)
        if (__atomic_load_n(&ways[i].key, __ATOMIC_ACQUIRE) == key)
            return &ways[i];
    return NULL;
}

/* The object's place, a free one, or the oldest one's. Two threads may take two for one object: we
 * read both. */
static struct object *take(struct table *all, uint64_t key)
{
    struct object *ways = ways_of(all, key), *found;
    for (uint32_t tries = 0; tries < WAYS; tries++) {
        struct object *oldest = ways;
        if ((found = find(all, key)) != NULL)
            return found;
        for (uint32_t i = 1; i < WAYS; i++)
            if (__atomic_load_n(&ways[i].last, __ATOMIC_RELAXED) <
                __atomic_load_n(&oldest->last, __ATOMIC_RELAXED))
                oldest = &ways[i];
        uint64_t was = __atomic_load_n(&oldest->key, __ATOMIC_ACQUIRE);
        if (!__atomic_compare_exchange_n(&oldest->key, &was, key, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        /* Until it has its first moment it is the newest: others take another place. */
        __atomic_store_n(&oldest->last, UINT64_MAX, __ATOMIC_RELEASE);
        __atomic_store_n(&oldest->gone, 0, __ATOMIC_RELEASE);
        if (was != 0)
            __atomic_fetch_add(&all->lost, 1, __ATOMIC_RELAXED);
        return oldest;
    }
    return find(all, key);
}

/* Writes it into the object's next place that nobody else is writing. */
static void put(struct object *object, const struct moment *moment)
{
    for (uint32_t tries = 0; tries < PLACES; tries++) {
        uint32_t next = __atomic_fetch_add(&object->next, 1, __ATOMIC_RELAXED);
        struct place *place = &object->places[next % PLACES];
        uint64_t state = __atomic_load_n(&place->state, __ATOMIC_RELAXED);
        if (state >> 1 > moment->order)
            return; /* while we were put aside, this many later ones were kept */
        if ((state & 1) != 0 ||
            !__atomic_compare_exchange_n(&place->state, &state, moment->order << 1 | 1, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        uint32_t frames = moment->calls < DIARY_FRAMES ? moment->calls : DIARY_FRAMES;
        memcpy(&place->moment, moment,
               offsetof(struct moment, frames) + frames * sizeof moment->frames[0]);
        __atomic_store_n(&place->state, moment->order << 1, __ATOMIC_RELEASE);
        return;
    }
}

void diary_keep(struct moment *moment)
{
    struct table *all = table_map();
    if (all == NULL)
        return;
    moment->order = __atomic_add_fetch(&all->order, 1, __ATOMIC_RELAXED);
    struct object *object = take(all, key_of(moment->object, is_reference(moment->kind)));
    if (object == NULL)
        return;
    put(object, moment);
    __atomic_store_n(&object->last, moment->order, __ATOMIC_RELEASE);
}

/* Reads a whole moment; false if it is not whole or another object's. */
static bool place_read(struct place *place, uint64_t object, struct moment *moment)
{
    uint64_t state = __atomic_load_n(&place->state, __ATOMIC_ACQUIRE);
    if (state == 0 || (state & 1) != 0)
        return false;
    memcpy(moment, &place->moment, sizeof *moment);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&place->state, __ATOMIC_RELAXED) == state && moment->object == object;
}

/* Puts the moment among the newest `most`, in their order. */
static void sort_in(struct moment *moments, uint32_t *count, uint32_t most,
                    const struct moment *moment)
{
    uint32_t at = *count;
    while (at > 0 && moments[at - 1].order > moment->order)
        at--;
    if (*count < most) {
        memmove(&moments[at + 1], &moments[at], (*count - at) * sizeof *moments);
        moments[at] = *moment;
        ++*count;
    } else if (at > 0) {
        memmove(&moments[0], &moments[1], (at - 1) * sizeof *moments);
        moments[at - 1] = *moment;
    }
}

/* The last moments of a kind. */
static uint32_t read_kind(struct table *all, uint64_t object, bool reference,
                          struct moment moments[DIARY_MOMENTS])
{
    uint64_t key = key_of(object, reference);
    struct object *ways = ways_of(all, key);
    struct moment moment;
    uint32_t count = 0;
    for (uint32_t i = 0; i < WAYS * PLACES; i++) {
        struct object *way = &ways[i / PLACES];
        if (__atomic_load_n(&way->key, __ATOMIC_ACQUIRE) == key &&
            place_read(&way->places[i % PLACES], object, &moment) &&
            is_reference(moment.kind) == reference)
            sort_in(moments, &count, DIARY_MOMENTS, &moment);
    }
    return count;
}

uint32_t diary_read(uint64_t object, struct moment moments[2 * DIARY_MOMENTS])
{
    struct table *all = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    if (all == NULL)
        return 0;
    uint32_t count = read_kind(all, object, false, moments), first = count;
    uint32_t end = count + read_kind(all, object, true, moments + count);
    for (uint32_t i = first; i < end; i++) {
        struct moment moment = moments[i];
        sort_in(moments, &count, 2 * DIARY_MOMENTS, &moment);
    }
    return count;
}

uint64_t diary_lost(void)
{
    const struct table *all = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    return all != NULL ? __atomic_load_n(&all->lost, __ATOMIC_RELAXED) : 0;
}

static struct object *references_of(uint64_t object)
{
    struct table *all = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    return all != NULL ? find(all, key_of(object, true)) : NULL;
}

void diary_gone(uint64_t object, bool gone)
{
    struct object *found = references_of(object);
    if (found != NULL)
        __atomic_store_n(&found->gone, gone, __ATOMIC_RELEASE);
}

bool diary_is_gone(uint64_t object)
{
    const struct object *found = references_of(object);
    return found != NULL && __atomic_load_n(&found->gone, __ATOMIC_ACQUIRE) != 0;
}
