/* Numbers of locks: see locks_objects.h. A table of the process's locks by address; its memory
 * grows as it is filled (reserve.h). */
#include "collector/locks/locks_objects.h"

#include "collector/core/lock.h"
#include "collector/core/reserve.h"

#include <errno.h>
#include <string.h>

#define OBJECTS_MAX (1u << 20)
#define OBJECTS_MAX_TIGHT (1u << 12) /* if address space is limited */
#define BUCKETS (1u << 16)
#define PAGE_SHIFT 12
#define PAGES_MAX 4096u /* of a freed block: of a larger one we look at each lock */

struct object {
    uint64_t address;
    uint64_t site; /* where it was made, or used first */
    uint32_t next; /* in its bucket, or of the free ones; 0 = the end */
    uint32_t id;
    uint32_t told;  /* as in struct lock_name */
    uint32_t mutex; /* a condition's: the one that threads wait with, */
    uint32_t waits; /* and how many */
    uint8_t kind, made, destroyed;
    struct object_end end; /* if it is destroyed */
};

uint32_t objects_epoch = 1;
uint32_t object_generations[OBJECT_GENERATIONS];
uint32_t silence; /* for lock.h; never set in this library */

static uint32_t lock_word;
static struct reserve objects_memory, index_memory;
static struct object *objects; /* [0] is none */
static uint32_t objects_max = OBJECTS_MAX;
static uint32_t used = 1, unused, ids;

/* Exists before the first object does. */
struct index {
    uint32_t buckets[BUCKETS]; /* a page's locks share one */
    uint32_t pages[BUCKETS];   /* atomic: how many */
};
static struct index *locks_index; /* atomic */

/* Taken while the thread's `inside` is set: no handler of the thread comes here meanwhile. */
static void objects_lock(void)
{
    int error = errno;
    lock_acquire(&lock_word);
    errno = error;
}

static void objects_unlock(void)
{
    int error = errno;
    lock_release(&lock_word);
    errno = error;
}

static uint32_t bucket_of(uint64_t address)
{
    return (uint32_t)((address >> PAGE_SHIFT) * 0x9e3779b97f4a7c15u >> 48) % BUCKETS;
}

static void become_others(uint64_t address)
{
    uint64_t at = (address >> 4 ^ address >> 16) % OBJECT_GENERATIONS;
    __atomic_fetch_add(&object_generations[at], 1, __ATOMIC_ACQ_REL);
}

static struct object *find(uint64_t address)
{
    if (objects == NULL)
        return NULL;
    struct object *object = &objects[locks_index->buckets[bucket_of(address)]];
    while (object != objects && object->address != address)
        object = &objects[object->next];
    return object != objects ? object : NULL;
}

static void drop(struct object *object)
{
    uint32_t bucket = bucket_of(object->address), number = (uint32_t)(object - objects);
    uint32_t *at = &locks_index->buckets[bucket];
    while (*at != number && *at != 0)
        at = &objects[*at].next;
    if (*at == 0)
        return;
    *at = object->next;
    object->next = unused;
    unused = number;
    __atomic_fetch_sub(&locks_index->pages[bucket], 1, __ATOMIC_RELAXED);
    become_others(object->address);
}

/* Makes room for one object more than there have ever been. */
static bool room_for_more(void)
{
    const size_t need_bytes = (used + 1) * sizeof *objects;
    if (!reserve_grow(&index_memory, sizeof *locks_index, sizeof *locks_index))
        return false;
    while (!reserve_grow(&objects_memory, objects_max * sizeof *objects, need_bytes)) {
        if (objects != NULL || objects_max <= OBJECTS_MAX_TIGHT)
            return false;
        objects_max /= 4;
    }
    __atomic_store_n(&locks_index, reserve_start(&index_memory), __ATOMIC_RELEASE);
    objects = reserve_start(&objects_memory);
    return true;
}

/* NULL = there is no room. */
static struct object *add(uint64_t address, unsigned kind, uint64_t site, bool made)
{
    uint32_t number = unused != 0 ? unused : room_for_more() ? used++ : 0;
    if (number == 0)
        return NULL;
    struct object *object = &objects[number];
    if (number == unused)
        unused = object->next;
    uint32_t *bucket = &locks_index->buckets[bucket_of(address)];
    memset(object, 0, sizeof *object);
    object->address = address;
    object->site = site;
    object->next = *bucket;
    object->id = ++ids;
    object->kind = (uint8_t)kind;
    object->made = made;
    *bucket = number;
    __atomic_fetch_add(&locks_index->pages[bucket_of(address)], 1, __ATOMIC_RELAXED);
    return object;
}

static void name_of(const struct object *object, struct lock_name *name)
{
    name->id = object->id;
    name->kind = object->kind;
    name->told = object->told;
}

void object_find(uint64_t address, unsigned kind, uint64_t site, struct lock_name *name)
{
    *name = (struct lock_name){.address = address, .kind = (uint8_t)kind};
    objects_lock();
    name->generation = object_generation(address);
    struct object *object = find(address);
    /* Another lock at this address, and no call has made it. */
    if (object != NULL &&
        (object->destroyed || (object->kind != kind && object->kind != FISQL_LOCK_KIND_RECURSIVE &&
                               kind != FISQL_LOCK_KIND_RECURSIVE))) {
        drop(object);
        name->generation = object_generation(address);
        object = NULL;
    }
    if (object == NULL)
        object = add(address, kind, site, false);
    if (object != NULL)
        name_of(object, name);
    objects_unlock();
    if (object == NULL)
        locks_lost();
}

void object_tell(struct lock_name *name)
{
    struct fisql_lock_record record = {.what = FISQL_LOCK_DEFINE,
                                       .kind = name->kind,
                                       .lock = name->id,
                                       .numbers = {name->address}};
    if (name->told == objects_epoch || name->id == 0)
        return;
    objects_lock();
    struct object *object = find(name->address);
    bool there = object != NULL && object->id == name->id;
    bool told = there && object->told == objects_epoch;
    if (there) {
        record.mode = object->made ? FISQL_LOCK_MADE : 0;
        record.site = object->site;
    }
    objects_unlock();
    if (!told && !fisql_lock_record(&record))
        return;
    name->told = objects_epoch;
    objects_lock();
    object = find(name->address);
    if (object != NULL && object->id == name->id)
        object->told = objects_epoch;
    objects_unlock();
}

/* Records the lock's end, if the log knows the lock. */
static void say_end(const struct object *object, uint64_t site, bool freed)
{
    const struct fisql_lock_record record = {
        .what = FISQL_LOCK_ENDED, .count = freed, .lock = object->id, .site = site};
    if (object->told == objects_epoch && !object->destroyed)
        fisql_lock_record(&record);
}

void object_made(uint64_t address, unsigned kind, uint64_t site)
{
    objects_lock();
    struct object *object = find(address);
    if (object != NULL)
        drop(object);
    else
        become_others(address);
    bool added = add(address, kind, site, true) != NULL;
    objects_unlock();
    if (!added)
        locks_lost();
}

void object_destroyed(uint64_t address, uint64_t site, uint64_t point, uint32_t thread)
{
    struct object gone = {.address = 0};
    objects_lock();
    struct object *object = find(address);
    if (object != NULL) {
        gone = *object;
        object->destroyed = 1;
        object->end = (struct object_end){site, point, thread};
        become_others(address);
    }
    objects_unlock();
    say_end(&gone, site, false);
}

bool object_was_destroyed(uint64_t address, struct lock_name *name, struct object_end *end)
{
    objects_lock();
    const struct object *object = find(address);
    bool destroyed = object != NULL && object->destroyed != 0;
    if (destroyed) {
        *name = (struct lock_name){.address = address};
        name_of(object, name);
        *end = object->end;
    }
    objects_unlock();
    return destroyed;
}

bool objects_near(uint64_t from, uint64_t to)
{
    const struct index *index = __atomic_load_n(&locks_index, __ATOMIC_ACQUIRE);
    if (index == NULL || to - from > (uint64_t)PAGES_MAX << PAGE_SHIFT)
        return index != NULL;
    for (uint64_t at = from >> PAGE_SHIFT; at <= (to - 1) >> PAGE_SHIFT; at++)
        if (__atomic_load_n(&index->pages[bucket_of(at << PAGE_SHIFT)], __ATOMIC_RELAXED) != 0)
            return true;
    return false;
}

/* Takes a lock in from..to out of the table. False if none is left from *page on. */
static bool take_freed(uint64_t from, uint64_t to, uint64_t *page, struct object *gone)
{
    bool found = false;
    objects_lock();
    for (; objects != NULL && *page <= (to - 1) >> PAGE_SHIFT && !found; *page += !found) {
        struct object *object = &objects[locks_index->buckets[bucket_of(*page << PAGE_SHIFT)]];
        while (object != objects && (object->address < from || object->address >= to))
            object = &objects[object->next];
        if (object == objects)
            continue;
        *gone = *object;
        drop(object);
        found = true;
    }
    objects_unlock();
    return found;
}

void objects_freed(uint64_t from, uint64_t to,
                   void (*each)(const struct lock_name *name, void *context), void *context)
{
    struct object gone;
    uint64_t page = from >> PAGE_SHIFT;
    while (take_freed(from, to, &page, &gone)) {
        struct lock_name name = {.address = gone.address};
        name_of(&gone, &name);
        each(&name, context);
        say_end(&gone, 0, true);
    }
}

uint32_t object_waits(uint64_t condition, uint32_t id, uint32_t mutex, int change)
{
    uint32_t other = 0;
    objects_lock();
    struct object *object = find(condition);
    if (object != NULL && object->id == id) {
        if (change > 0 && object->waits++ > 0 && object->mutex != mutex)
            other = object->mutex;
        else if (change > 0)
            object->mutex = mutex;
        else if (object->waits > 0)
            object->waits--;
    }
    objects_unlock();
    return other;
}

void objects_forked(void)
{
    lock_forked(&lock_word);
    objects_epoch++;
    for (uint32_t i = 1; objects != NULL && i < used; i++)
        objects[i].waits = 0;
}
