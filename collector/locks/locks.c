/* Holds, orders and waits of threads: see locks.h. */
#include "collector/locks/locks.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

THREAD_LOCAL struct lock_thread *lock_self;
static THREAD_LOCAL bool ended; /* or it is just beginning: calls pass unseen */
static struct lock_thread *threads;
static pthread_key_t end_key;
static bool end_key_made;
#define END_ROUNDS 3 /* destructors of thread-specific data: later ones may take locks */

static void freed(uint64_t address);
static void flush_all(void);
static const struct lock_watch watch = {.freed = freed, .ending = flush_all};

/* In the slot, for readers outside. */
static void show_hold(struct fisql_live_locks *locks, const struct lock_thread *thread, uint32_t i)
{
    const struct lock_hold *hold = &thread->holds[i];
    if (i < FISQL_LIVE_HOLDS_MAX)
        locks->holds[i] = (struct fisql_live_hold){hold->name.address, hold->point, hold->site};
    if (i < FISQL_LIVE_STACKS_MAX)
        locks->stacks[i] = hold->stack;
}

static void show_begin(struct fisql_live_locks *locks)
{
    __atomic_store_n(&locks->changes, locks->changes | 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void show_end(struct fisql_live_locks *locks)
{
    __atomic_store_n(&locks->changes, locks->changes + 1, __ATOMIC_RELEASE);
}

/* Shows the holds from number `from` on, which have changed. */
static void show(struct lock_thread *thread, struct fisql_live_slot *slot, uint32_t from)
{
    if (slot == NULL)
        return;
    if (UNLIKELY(slot != thread->slot)) {
        thread->slot = slot;
        thread->number = slot->thread;
        from = 0;
    }
    show_begin(&slot->locks);
    for (uint32_t i = from; i < thread->held; i++)
        show_hold(&slot->locks, thread, i);
    slot->locks.held = thread->held + thread->more;
    show_end(&slot->locks);
}

static inline uint64_t point_of(const struct fisql_live_slot *slot)
{
    if (slot == NULL)
        return 0;
    uint64_t word = slot->word;
    return fisql_point(slot->first_call + fisql_word_calls(word), fisql_word_depth(word));
}

uint64_t lock_point(struct lock_thread *thread, uint64_t *tick)
{
    struct fisql_live_slot *slot = fisql_lock_now(tick);
    if (slot != NULL)
        thread->number = slot->thread;
    return point_of(slot);
}

/* ---- counts ---- */

static void tell_count(struct lock_thread *thread, struct lock_count *count)
{
    uint64_t times = count->times - count->times_told, ticks = count->ticks - count->ticks_told,
             failures = count->failed - count->failed_told;
    if (times == 0 && failures == 0)
        return;
    object_tell(&count->name);
    const struct fisql_lock_record record = {.what = FISQL_LOCK_HELD,
                                             .lock = count->name.id,
                                             .thread = thread->number,
                                             .point = count->point,
                                             .site = count->site,
                                             .numbers = {times, ticks, count->longest, failures}};
    if (count->name.told != objects_epoch || !fisql_lock_record(&record))
        return;
    count->times_told += times;
    count->ticks_told += ticks;
    count->failed_told += failures;
}

static void tell_order(struct lock_thread *thread, struct lock_order *order)
{
    uint64_t times = order->times - order->times_told;
    const struct fisql_lock_record record = {.what = FISQL_LOCK_ORDERED,
                                             .lock = order->number,
                                             .thread = thread->number,
                                             .numbers = {times}};
    if (times != 0 && fisql_lock_record(&record))
        order->times_told += times;
}

static uint32_t flush_word; /* taken by the thread that writes counts */

static void flush_counts(struct lock_thread *thread)
{
    for (uint32_t i = 0; i < THREAD_LOCKS && thread->locks_used > 0; i++)
        if (thread->locks[i].name.address != 0)
            tell_count(thread, &thread->locks[i]);
    for (uint32_t i = 0; i < THREAD_ORDERS && thread->orders_used > 0; i++)
        if (thread->orders[i].key != 0)
            tell_order(thread, &thread->orders[i]);
}

/* One thread at a time, because the process's end writes others' counts. The second one leaves its
 * counts to the first and to the next time. */
static bool flush(struct lock_thread *thread)
{
    uint32_t is_free = 0;
    if (!__atomic_compare_exchange_n(&flush_word, &is_free, 1, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    flush_counts(thread);
    __atomic_store_n(&flush_word, 0, __ATOMIC_RELEASE);
    return true;
}

/* Waits for its turn: at a thread's end. */
static void flush_surely(struct lock_thread *thread)
{
    while (!flush(thread))
        syscall(SYS_sched_yield);
}

static void flush_all(void)
{
    struct lock_thread *self = lock_enter();
    if (self == NULL && lock_self != NULL)
        return; /* a signal handler ends the process in the middle of the library */
    for (struct lock_thread *at = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); at != NULL;
         at = at->next)
        if (__atomic_load_n(&at->tid, __ATOMIC_ACQUIRE) != 0)
            flush_surely(at);
    if (self != NULL)
        lock_leave(self);
}

static inline uint64_t place_of(uint64_t address)
{
    return (address * 0x9e3779b97f4a7c15u >> 40) % THREAD_LOCKS;
}

/* The count of a lock that may be new to the thread, or another one than before at its address. */
static struct lock_count *count_slow(struct lock_thread *thread, uint64_t at, uint64_t address,
                                     unsigned kind, uint64_t site)
{
    struct lock_name name;
    object_find(address, kind, site, &name);
    struct lock_count *count = &thread->locks[at];
    if (count->name.address != 0 && count->name.id == name.id) {
        count->name.generation = name.generation;
        return count;
    }
    if (count->name.address != 0)
        tell_count(thread, count);
    else if (++thread->locks_used > THREAD_LOCKS * 3 / 4) {
        flush_surely(thread);
        memset(thread->locks, 0, sizeof thread->locks);
        thread->locks_used = 1;
        count = &thread->locks[place_of(address)];
    }
    *count = (struct lock_count){.name = name};
    return count;
}

static inline struct lock_count *count_of(struct lock_thread *thread, uint64_t address,
                                          unsigned kind, uint64_t site)
{
    uint64_t at = place_of(address);
    while (thread->locks[at].name.address != 0 && thread->locks[at].name.address != address)
        at = (at + 1) % THREAD_LOCKS;
    struct lock_count *count = &thread->locks[at];
    if (LIKELY(count->name.address != 0 && count->name.generation == object_generation(address)))
        return count;
    return count_slow(thread, at, address, kind, site);
}

/* ---- order ---- */

static uint64_t key_of(const struct lock_thread *thread, const struct lock_hold *first,
                       const struct lock_name *second, unsigned modes)
{
    uint64_t key = ((uint64_t)first->name.id << 32 | second->id) * 0x9e3779b97f4a7c15u + modes;
    for (uint32_t i = 0; i < thread->held; i++)
        if (&thread->holds[i] != first) /* in any order */
            key += ((uint64_t)thread->holds[i].name.id << 1 | thread->holds[i].mode) *
                   0xd6e8feb86659fd93u;
    return key != 0 ? key : 1;
}

static void order_new(struct lock_thread *thread, struct lock_order *order, struct lock_hold *first,
                      struct lock_name *second, const struct lock_use *use, unsigned modes)
{
    struct fisql_lock_record record = {.what = FISQL_LOCK_ORDER,
                                       .mode = (uint8_t)modes,
                                       .lock = second->id,
                                       .site = use->site,
                                       .thread = order->number,
                                       .other = first->name.id,
                                       .point = first->point,
                                       .other_site = first->site};
    object_tell(&first->name);
    object_tell(second);
    for (uint32_t i = 0; i < thread->held && record.count < FISQL_LOCK_GUARDS_MAX; i++)
        if (&thread->holds[i] != first) {
            object_tell(&thread->holds[i].name);
            record.guards[record.count++] =
                thread->holds[i].name.id | (thread->holds[i].mode != 0 ? 0x80000000u : 0);
        }
    if (!fisql_lock_record(&record))
        order->key = 0; /* recording is off: the next time it is new again */
}

static void order_of(struct lock_thread *thread, struct lock_hold *first, struct lock_name *second,
                     const struct lock_use *use)
{
    unsigned modes = use->mode | (first->mode != 0 ? FISQL_LOCK_OTHER_READ : 0);
    uint64_t key = key_of(thread, first, second, modes);
    uint64_t at = (key >> 40) % THREAD_ORDERS;
    while (thread->orders[at].key != 0 && thread->orders[at].key != key)
        at = (at + 1) % THREAD_ORDERS;
    struct lock_order *order = &thread->orders[at];
    if (LIKELY(order->key == key)) {
        order->times++;
        return;
    }
    if (thread->orders_used + 1 > THREAD_ORDERS * 3 / 4) {
        flush_surely(thread);
        memset(thread->orders, 0, sizeof thread->orders);
        thread->orders_used = 0;
        order = &thread->orders[(key >> 40) % THREAD_ORDERS];
    }
    *order = (struct lock_order){.key = key, .number = ++thread->orders_number};
    order_new(thread, order, first, second, use, modes);
    thread->orders_used += order->key != 0;
}

static void order_all(struct lock_thread *thread, struct lock_name *second,
                      const struct lock_use *use)
{
    for (uint32_t i = 0; i < thread->held; i++)
        if (thread->holds[i].name.id != 0 && second->id != 0 && thread->holds[i].lost == 0)
            order_of(thread, &thread->holds[i], second, use);
}

/* ---- taking and giving ---- */

/* The lock's hold, the latest first; `held` if there is none. */
static uint32_t hold_find(const struct lock_thread *thread, uint64_t address)
{
    uint32_t i = thread->held;
    while (i > 0)
        if (thread->holds[--i].name.address == address)
            return i;
    return thread->held;
}

bool lock_is_held(const struct lock_thread *thread, uint64_t address)
{
    return hold_find(thread, address) < thread->held;
}

static void hold_remove(struct lock_thread *thread, uint32_t at, struct fisql_live_slot *slot)
{
    for (uint32_t i = at; i + 1 < thread->held; i++)
        thread->holds[i] = thread->holds[i + 1];
    __atomic_store_n(&thread->held, thread->held - 1, __ATOMIC_RELEASE);
    show(thread, slot, at);
}

/* May the thread take it again while it holds it? */
static bool takes_again(const struct lock_hold *hold, const struct lock_use *use)
{
    return hold->lost == 0 &&
           (use->kind == FISQL_LOCK_KIND_RECURSIVE || use->kind == FISQL_LOCK_KIND_USER ||
            (use->kind == FISQL_LOCK_KIND_RWLOCK && (hold->mode & use->mode) != 0));
}

void lock_taken(struct lock_thread *thread, const struct lock_use *use, bool ordered)
{
    uint64_t tick;
    uint32_t at = hold_find(thread, use->address);
    struct fisql_live_slot *slot = fisql_lock_now(&tick);
    if (at < thread->held && takes_again(&thread->holds[at], use)) {
        thread->holds[at].depth++;
        return;
    }
    if (at < thread->held) /* no longer held: another thread released it */
        hold_remove(thread, at, slot);
    struct lock_count *count = count_of(thread, use->address, use->kind, use->site);
    if (!ordered && thread->held > 0 && (use->mode & FISQL_LOCK_TRIED) == 0)
        order_all(thread, &count->name, use);
    if (UNLIKELY(thread->mode > 1 && !ordered)) {
        const struct fisql_lock_record record = {
            .what = FISQL_LOCK_TAKEN, .mode = use->mode, .lock = count->name.id, .site = use->site};
        object_tell(&count->name);
        fisql_lock_record(&record);
        slot = fisql_lock_now(&tick);
    }
    if (UNLIKELY(thread->held == HOLDS_MAX)) {
        thread->more++;
        return;
    }
    struct lock_hold *hold = &thread->holds[thread->held];
    hold->name = count->name;
    hold->tick = tick;
    hold->point = point_of(slot);
    hold->site = use->site;
    hold->stack.tick = tick;
    fisql_lock_stack(&hold->stack);
    hold->depth = 1;
    hold->mode = use->mode & FISQL_LOCK_READ;
    hold->lost = 0;
    hold->robust = use->robust;
    BARRIER(); /* others read it */
    __atomic_store_n(&thread->held, thread->held + 1, __ATOMIC_RELEASE);
    show(thread, slot, thread->held - 1);
}

void lock_failed(struct lock_thread *thread, const struct lock_use *use)
{
    count_of(thread, use->address, use->kind, use->site)->failed++;
}

struct holder {
    struct lock_thread *thread;
    struct lock_hold *hold;
    uint64_t point, site;
    uint32_t tid;
    bool reads;
};

/* Finds a thread that holds the lock now, as far as we can see: rather one that holds it alone than
 * a reader. */
static bool holder_find(uint64_t address, struct holder *holder)
{
    bool found = false;
    for (struct lock_thread *at = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); at != NULL;
         at = at->next) {
        uint32_t tid = __atomic_load_n(&at->tid, __ATOMIC_ACQUIRE);
        uint32_t held = __atomic_load_n(&at->held, __ATOMIC_ACQUIRE);
        for (uint32_t i = 0; tid != 0 && i < held && i < HOLDS_MAX; i++) {
            const volatile struct lock_hold *hold = &at->holds[i];
            struct holder seen = {at, &at->holds[i], hold->point, hold->site, tid, hold->mode != 0};
            if (hold->name.address == address && hold->lost == 0 && (!found || !seen.reads)) {
                *holder = seen;
                found = true;
            }
        }
    }
    return found;
}

static void put_holder(struct fisql_lock_record *record, const struct holder *holder)
{
    record->thread = holder->thread->number;
    record->point = holder->point;
    record->other_site = holder->site;
}

void lock_misused(struct lock_thread *thread, const struct lock_use *use,
                  enum fisql_lock_misuse what, uint32_t other)
{
    struct holder holder;
    struct lock_name name;
    object_find(use->address, use->kind, use->site, &name);
    object_tell(&name);
    struct fisql_lock_record record = {.what = FISQL_LOCK_MISUSED,
                                       .kind = (uint8_t)what,
                                       .lock = name.id,
                                       .site = use->site,
                                       .thread = FISQL_LOCK_THREAD_NONE,
                                       .other = other};
    if (holder_find(use->address, &holder) &&
        (holder.thread != thread || what != FISQL_LOCK_MISUSE_UNLOCKED_TWICE))
        put_holder(&record, &holder);
    fisql_lock_record(&record);
}

/* Released without having been taken before our eyes: a misuse only if the C library agrees. */
static void given_strangely(struct lock_thread *thread, const struct lock_use *use,
                            enum lock_doubt doubt)
{
    struct holder holder;
    if (thread->more > 0) {
        thread->more--;
        return;
    }
    if (doubt == LOCK_NOT_HELD)
        lock_misused(thread, use, FISQL_LOCK_MISUSE_UNLOCKED_TWICE, 0);
    else if (doubt == LOCK_HELD_BY_OTHER && holder_find(use->address, &holder) &&
             holder.thread != thread) {
        lock_misused(thread, use, FISQL_LOCK_MISUSE_UNLOCKED_BY_OTHER, 0);
        __atomic_store_n(&holder.hold->lost, 1, __ATOMIC_RELEASE);
    }
}

void lock_given(struct lock_thread *thread, const struct lock_use *use, enum lock_doubt doubt)
{
    uint64_t tick;
    uint32_t at = hold_find(thread, use->address);
    if (UNLIKELY(at == thread->held)) {
        given_strangely(thread, use, doubt);
        return;
    }
    struct lock_hold *hold = &thread->holds[at];
    if (hold->depth > 1) {
        hold->depth--;
        return;
    }
    struct fisql_live_slot *slot = fisql_lock_now(&tick);
    struct lock_count *count = count_of(thread, use->address, use->kind, use->site);
    uint64_t ticks = tick - hold->tick;
    count->times++;
    count->ticks += ticks;
    if (ticks >= count->longest) {
        count->longest = ticks;
        count->point = hold->point;
        count->site = hold->site;
    }
    hold_remove(thread, at, slot);
    if (UNLIKELY(tick - thread->flushed_tick > thread->second)) {
        thread->flushed_tick = tick;
        flush(thread);
    }
}

/* ---- waits ---- */

static void show_wait(struct lock_thread *thread, const struct lock_use *use, uint32_t tid)
{
    uint64_t tick;
    struct fisql_live_slot *slot = fisql_lock_now(&tick);
    show(thread, slot, thread->held);
    if (slot == NULL)
        return;
    show_begin(&slot->locks);
    slot->locks.waiting = use->address;
    slot->locks.waiting_tick = tick;
    slot->locks.waiting_site = use->site;
    slot->locks.waiting_holder = tid;
    slot->locks.waiting_kind = use->kind;
    slot->locks.waiting_mode = use->mode;
    show_end(&slot->locks);
}

/* The thread with this pthread_self(). */
static struct lock_thread *thread_of(uint64_t self)
{
    struct lock_thread *at = __atomic_load_n(&threads, __ATOMIC_ACQUIRE);
    while (at != NULL && (__atomic_load_n(&at->tid, __ATOMIC_ACQUIRE) == 0 || at->self != self))
        at = at->next;
    return at;
}

/* What the thread holds while it waits: only so is a deadlock certain afterwards. */
static void put_held(struct lock_thread *thread, struct fisql_lock_record *record)
{
    for (uint32_t i = 0, count = 0; i < thread->held && count < FISQL_LOCK_GUARDS_MAX; i++) {
        struct lock_hold *hold = &thread->holds[i];
        if (hold->name.id != 0 && hold->lost == 0) {
            object_tell(&hold->name);
            record->guards[count++] = hold->name.id | (hold->mode != 0 ? 0x80000000u : 0);
        }
    }
}

void lock_wait_begin(struct lock_thread *thread, const struct lock_use *use,
                     const struct lock_name *mutex, struct lock_wait *wait)
{
    struct holder holder = {.tid = 0};
    struct lock_name name = count_of(thread, use->address, use->kind, use->site)->name;
    uint32_t at = hold_find(thread, use->address);
    bool held = at < thread->held && thread->holds[at].lost == 0;
    if (!held && (use->mode & FISQL_LOCK_TRIED) == 0 && use->kind <= FISQL_LOCK_KIND_USER)
        order_all(thread, &name, use);
    if (held && (use->mode & FISQL_LOCK_TRIED) == 0 && !takes_again(&thread->holds[at], use))
        lock_misused(thread, use, FISQL_LOCK_MISUSE_LOCKED_TWICE, 0);
    object_tell(&name);
    struct fisql_lock_record record = {.what = FISQL_LOCK_WAIT,
                                       .mode = use->mode,
                                       .lock = name.id,
                                       .site = use->site,
                                       .thread = FISQL_LOCK_THREAD_NONE,
                                       .other = mutex != NULL ? mutex->id : 0};
    if (use->kind == FISQL_LOCK_KIND_THREAD) {
        holder.thread = thread_of(use->address);
        holder.tid = holder.thread != NULL ? holder.thread->tid : 0;
        if (holder.thread != NULL)
            put_holder(&record, &holder);
    } else if (use->kind <= FISQL_LOCK_KIND_USER && holder_find(use->address, &holder)) {
        put_holder(&record, &holder);
    }
    put_held(thread, &record);
    fisql_lock_record(&record);
    show_wait(thread, use, holder.tid);
    *wait = (struct lock_wait){.thread = thread, .name = name};
}

void lock_wait_end(struct lock_wait *wait)
{
    uint64_t tick;
    const struct fisql_lock_record record = {
        .what = FISQL_LOCK_WAITED, .count = !wait->got, .lock = wait->name.id};
    fisql_lock_record(&record);
    struct fisql_live_slot *slot = fisql_lock_now(&tick);
    if (slot == NULL)
        return;
    show_begin(&slot->locks);
    slot->locks.waiting = 0;
    show_end(&slot->locks);
}

/* ---- ends of locks ---- */

void lock_ending(const struct lock_use *use)
{
    struct holder holder;
    struct lock_thread *thread = lock_enter();
    if (thread == NULL)
        return;
    if (holder_find(use->address, &holder))
        lock_misused(thread, use, FISQL_LOCK_MISUSE_DESTROYED_HELD, 0);
    lock_leave(thread);
}

void lock_destroyed(const struct lock_use *use)
{
    struct lock_thread *thread = lock_enter();
    if (thread == NULL)
        return;
    uint64_t tick, point = lock_point(thread, &tick);
    object_destroyed(use->address, use->site, point, thread->number);
    lock_leave(thread);
}

static void freed_lock(const struct lock_name *name, void *context)
{
    struct holder holder;
    (void)context;
    if (name->kind > FISQL_LOCK_KIND_USER || !holder_find(name->address, &holder))
        return;
    struct fisql_lock_record record = {
        .what = FISQL_LOCK_MISUSED, .kind = FISQL_LOCK_MISUSE_FREED_HELD, .lock = name->id};
    struct lock_name told = *name;
    object_tell(&told);
    put_holder(&record, &holder);
    fisql_lock_record(&record);
}

static void freed(uint64_t address)
{
    struct lock_thread *thread = lock_self;
    if (thread == NULL && ended)
        return;
    uint64_t size = malloc_usable_size((void *)(uintptr_t)address);
    if (size == 0 || !objects_near(address, address + size) || (thread = lock_enter()) == NULL)
        return;
    objects_freed(address, address + size, freed_lock, NULL);
    lock_leave(thread);
}

/* ---- threads ---- */

/* Takes the memory of a thread that ended, or new memory. */
static struct lock_thread *thread_take(uint32_t tid)
{
    struct lock_thread *at = __atomic_load_n(&threads, __ATOMIC_ACQUIRE);
    for (; at != NULL; at = at->next) {
        uint32_t is_free = 0;
        if (__atomic_compare_exchange_n(&at->tid, &is_free, tid, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return at;
    }
    at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    at->tid = tid;
    at->next = __atomic_load_n(&threads, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&threads, &at->next, at, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        ;
    return at;
}

struct lock_thread *lock_thread_begin(void)
{
    if (ended || fisql_lock_mode == NULL || fisql_lock_now == NULL || fisql_lock_second == NULL ||
        fisql_lock_record == NULL || fisql_lock_stack == NULL)
        return NULL;
    int error = errno;
    uint64_t tick;
    ended = true;
    uint32_t mode = fisql_lock_mode(&watch);
    struct lock_thread *thread = mode != 0 ? thread_take((uint32_t)syscall(SYS_gettid)) : NULL;
    if (thread != NULL) {
        struct fisql_live_slot *slot = fisql_lock_now(&tick);
        thread->mode = mode;
        thread->number = slot != NULL ? slot->thread : FISQL_LOCK_THREAD_NONE;
        thread->self = (uint64_t)pthread_self();
        thread->flushed_tick = tick;
        thread->second = fisql_lock_second();
        thread->slot = NULL;
        lock_self = thread;
        if (end_key_made)
            pthread_setspecific(end_key, (void *)1);
    } else if (mode != 0) {
        locks_lost();
    }
    ended = false;
    errno = error;
    return thread;
}

/* Whatever it holds now it holds for ever, unless a mutex may outlive its thread (robust), or
 * another thread released the lock, which the C library forbids. */
static void thread_ends(struct lock_thread *thread)
{
    for (uint32_t i = 0; i < thread->held; i++) {
        const struct lock_hold *hold = &thread->holds[i];
        if (hold->lost != 0 || hold->robust)
            continue;
        const struct lock_use use = {.address = hold->name.address,
                                     .site = hold->site,
                                     .kind = hold->name.kind,
                                     .mode = hold->mode};
        lock_misused(thread, &use, FISQL_LOCK_MISUSE_THREAD_ENDED, 0);
    }
    flush_surely(thread);
    lock_self = NULL;
    ended = true;
    memset(&thread->number, 0, sizeof *thread - offsetof(struct lock_thread, number));
    __atomic_store_n(&thread->tid, 0, __ATOMIC_RELEASE);
}

static void thread_ending(void *value)
{
    uintptr_t round = (uintptr_t)value;
    struct lock_thread *thread = lock_self;
    if (thread == NULL ||
        (round < END_ROUNDS && pthread_setspecific(end_key, (void *)(round + 1)) == 0))
        return;
    thread->inside = 1;
    thread_ends(thread);
}

static void forget(struct lock_thread *thread)
{
    memset(thread->locks, 0, sizeof thread->locks);
    memset(thread->orders, 0, sizeof thread->orders);
    thread->locks_used = thread->orders_used = thread->orders_number = 0;
}

/* In a child, the only thread goes on holding its locks; where it took them belongs to another
 * process. */
static void forked(void)
{
    objects_forked();
    flush_word = 0;
    for (struct lock_thread *at = threads; at != NULL; at = at->next) {
        if (at != lock_self && at->tid != 0) {
            memset(&at->number, 0, sizeof *at - offsetof(struct lock_thread, number));
            at->tid = 0;
        }
    }
    struct lock_thread *self = lock_self;
    if (self == NULL)
        return;
    forget(self);
    self->tid = (uint32_t)syscall(SYS_gettid);
    self->slot = NULL;
    self->number = FISQL_LOCK_THREAD_NONE;
    for (uint32_t i = 0; i < self->held; i++) {
        self->holds[i].point = 0;
        self->holds[i].name.told = 0;
    }
}

static __attribute__((constructor)) void locks_setup(void)
{
    end_key_made = pthread_key_create(&end_key, thread_ending) == 0;
    pthread_atfork(NULL, NULL, forked);
}
