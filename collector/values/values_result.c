/*
 * Results that do not exist yet when the exit hook is called (most do: recipe.at_hook). If it is
 * known where the result will be, the exit hook replaces the function's return address by the
 * trampoline (values_x86_64.S, values_aarch64.S). A few instructions later the function returns
 * there. The trampoline calls values_returned(): it writes the result behind the exit, if nothing
 * came between, and says where to go on.
 *
 * A table of the thread holds what is awaited, by the canonical frame address: the stack pointer
 * after the return. That is one, plus those of signal handlers that come between hook and return
 * and have functions of their own: 16 at most. One instruction takes a place or gives it back, so a
 * handler may do the same in between, or leave by a jump. We recognize what a jump has left by its
 * address when the same frame address is awaited anew. If no place is free, we recognize it by its
 * slot, which no longer holds the trampoline's address.
 *
 * Between hook and return nothing is called, thrown or unwound, except by cleanups: exit hooks run
 * in them, too, and _Unwind_Resume() then goes on through the frame. So we interpose it to put
 * return addresses back (values_unwinding()).
 */
#include "collector/values/values_result.h"

#include "collector/core/event.h"
#include "collector/core/fork_mark.h"
#include "collector/core/hook_sample.h"
#include "collector/core/quiet.h"
#include "collector/core/watch.h"
#include "collector/values/values_hook.h"
#include "collector/values/values_tables.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static struct results_lost lost; /* atomic */

struct results_lost results_lost_take(void)
{
    return (struct results_lost){__atomic_exchange_n(&lost.separated, 0, __ATOMIC_RELAXED),
                                 __atomic_exchange_n(&lost.crowded, 0, __ATOMIC_RELAXED)};
}

void results_forked(void)
{
    lost = (struct results_lost){0, 0}; /* the parent reports them */
    tables_forked();
}

static void count(uint64_t *what)
{
    __atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

/* ---- places ---- */

/* One instruction: a handler comes before or after it; no other thread comes here. */
static inline bool swap(uint64_t *at, uint64_t from, uint64_t to)
{
#if defined(__x86_64__)
    bool same;
    __asm__ volatile("cmpxchg %3, %1" : "=@ccz"(same), "+m"(*at), "+a"(from) : "r"(to) : "memory");
    return same;
#else
    return __atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

#if defined(__aarch64__)
/* What a frame's slot holds for an address if return addresses are signed (PAC, key A; on machines
 * without it these instructions do nothing). */
static uint64_t signed_address(uint64_t address, uint64_t frame)
{
    register uint64_t x17 __asm__("x17") = address;
    register uint64_t x16 __asm__("x16") = frame;
    __asm__("hint 8" : "+r"(x17) : "r"(x16)); /* pacia1716 */
    return x17;
}
#endif

/* What to put into the slot in place of the site; 0 if it holds something else. */
static inline uint64_t replacement(uint64_t held, uint64_t site, uint64_t frame)
{
    uint64_t address = (uint64_t)(uintptr_t)values_trampoline;
    if (LIKELY(held == site))
        return address;
#if defined(__aarch64__)
    if (held == signed_address(site, frame))
        return signed_address(address, frame);
#else
    (void)frame;
#endif
    return 0;
}

/* Does the awaited result still come? Not if its slot was used for something else. */
static bool still_comes(struct table *table, uint32_t place, const struct read_stack *stack)
{
    uint64_t held = 0;
    return read_memory(stack, (uint64_t)(uintptr_t)table->awaited[place].slot, &held,
                       sizeof held) == sizeof held &&
           held == replacement(table->awaited[place].held, table->awaited[place].address,
                               table->frame[place]);
}

static uint32_t place_free(struct table *table, uint64_t frame)
{
    for (uint32_t i = 0; i < table->places; i++)
        if (table->frame[i] == 0 && swap(&table->frame[i], 0, frame))
            return i;
    while (table->places < AWAITED_MAX) {
        uint32_t i = __atomic_fetch_add(&table->places, 1, __ATOMIC_RELAXED);
        if (i < AWAITED_MAX && swap(&table->frame[i], 0, frame))
            return i;
    }
    table->places = AWAITED_MAX;
    return AWAITED_MAX;
}

/* A place for this frame; AWAITED_MAX = there is none. */
static APART uint32_t place_take(struct table *table, uint64_t frame,
                                 const struct read_stack *stack)
{
    for (uint32_t i = 0; i < table->places && i < AWAITED_MAX; i++)
        if (table->frame[i] == frame)
            return i; /* left by a jump: its return address is in place again */
    uint32_t place = place_free(table, frame);
    if (LIKELY(place != AWAITED_MAX))
        return place;
    for (uint32_t i = 0; i < AWAITED_MAX; i++) {
        uint64_t other = table->frame[i];
        if (other != 0 && !still_comes(table, i, stack))
            swap(&table->frame[i], other, 0);
    }
    return place_free(table, frame);
}

/* ---- the exit hook ---- */

void values_await(struct thread_log *log, uint64_t word, uint64_t function, uint64_t site,
                  uint64_t stack, uint64_t after)
{
    const struct values_frame *registers = values_frame_by(word, stack);
    const struct recipe *recipe = recipe_of(word, registers->hook_return, function);
    if (UNLIKELY(recipe == NULL || !recipe->exit || recipe->at_hook || log_writes_through(log)))
        return;
    struct recipe_frame at;
    memcpy(&at, &recipe->numbers[1], sizeof at);
    uint64_t frame = registers->general[recipe->cfa_register] + (uint64_t)(int64_t)at.cfa_offset;
    uint64_t *slot = (uint64_t *)(uintptr_t)(frame + (uint64_t)(int64_t)at.return_offset);
    uint64_t held = *slot, put = replacement(held, site, frame);
    struct table *table = own_table;
    if (put == 0)
        return;
    if (UNLIKELY(table == NULL) && (table = table_get()) == NULL) {
        count(&lost.crowded);
        return;
    }
    uint32_t place = 0;
    if (UNLIKELY(table->places != 1 || table->frame[0] != 0 || !swap(&table->frame[0], 0, frame))) {
        place =
            place_take(table, frame, &(const struct read_stack){&log->shadow.bounds, stack, false});
        if (place == AWAITED_MAX) {
            count(&lost.crowded);
            return;
        }
    }
    struct awaited *awaited = &table->awaited[place];
    awaited->slot = slot;
    awaited->held = held;
    awaited->address = site;
    awaited->word = after;
    awaited->log = log;
    awaited->sequence = log->thread.sequence;
    awaited->recipe = recipe;
    awaited->watched.callbacks = 0;
    BARRIER();
    *slot = put;
}

/* ---- the return ---- */

/* Puts a result that is not a number in a word. Returns its end. */
static APART unsigned char *other_result(const struct awaited *awaited, struct value_writer writer,
                                         struct thread_log *log, uint64_t stack,
                                         const struct values_returned *returned)
{
    const struct capture capture = {.general = returned->general,
                                    .vector = returned->vector[0],
                                    .returned = returned,
                                    .module = recipe_module(awaited->recipe),
                                    .stack = {&log->shadow.bounds, stack, false}};
    return capture_other(writer, &capture, awaited->recipe->value);
}

/* Writes the result behind the exit. Returns false if something came between. */
static inline bool record(const struct awaited *awaited, uint64_t stack,
                          const struct values_returned *returned)
{
    struct thread_log *log = current_log;
    if (UNLIKELY(log == NULL || log != awaited->log || log->busy != 0 || fork_mark.mine == 0))
        return false;
    log->busy = stack;
    BARRIER();
    uint64_t word = log->live.word;
    if (UNLIKELY(word != awaited->word || log->thread.sequence != awaited->sequence)) {
        log_leave(log, 0);
        return false;
    }
    bool sample = UNLIKELY(log->values.sampled_word == word);
    uint64_t tick = sample ? clock_read(process.clock) : 0;
    uint16_t *units = log_units(log, word);
    unsigned char *into = (unsigned char *)(units + 1);
    struct value_writer writer = {.at = into, .limit = into + FISQL_VALUES_BYTES_MAX};
    if (UNLIKELY(!capture_number(&writer, returned->general, &awaited->recipe->numbers[0])))
        writer.at = other_result(awaited, writer, log, stack, returned);
    values_failure(&writer, into);
    word += values_event(units, (uint32_t)(writer.at - into), FISQL_CODE_RESULT,
                         FISQL_CODE_RESULT_SHORT);
    log->other_units = fisql_word_units(word);
    BARRIER();
    log->live.word = word;
    if (sample)
        hook_sample_more(log, clock_read(process.clock) - tick);
    return log_leave(log, word);
}

#if defined(__x86_64__)
bool values_watch(const struct watch_leaving *leaving)
{
    const struct thread_log *log = current_log;
    struct table *table = own_table;
    if (leaving->callbacks == 0 || log == NULL || calls_open(log) > leaving->depth)
        return false;
    for (uint32_t i = 0; table != NULL && i < table->places && i < AWAITED_MAX; i++) {
        struct awaited *awaited = &table->awaited[i];
        if (table->frame[i] == 0 || awaited->log != log || awaited->word != log->live.word ||
            awaited->sequence != log->thread.sequence)
            continue;
        awaited->watched = *leaving;
        return true;
    }
    return false;
}

/* Room for the state that XSAVE saves, AVX-512 included: Intel's Software Developer's Manual 1,
 * chapter 13. */
#define STATE_BYTES 2688u
#define STATE_HEADER 512u
#define STATE_MASK 0xe7u

/* The parts of the processor's state that there are; 0 = there is no XSAVE. */
static uint32_t state_mask(void)
{
    static uint32_t known; /* atomic; the top bit is set when it is */
    uint32_t a, b, c = 0, d, low, mask = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (mask != 0)
        return mask & STATE_MASK;
    mask = (uint32_t)1 << 31;
    if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) != 0) {
        __asm__("xgetbv" : "=a"(low), "=d"(d) : "c"(0));
        mask |= low & STATE_MASK;
    }
    __atomic_store_n(&known, mask, __ATOMIC_RELAXED);
    return mask & STATE_MASK;
}

/* Calls the callbacks of a call that returns, with its result. The function's result may be in any
 * register: the callbacks' changes are undone. */
static APART void tell_result(const struct watch_leaving *watched, const struct awaited *awaited,
                              uint64_t stack, const struct values_returned *returned)
{
    unsigned char state[STATE_BYTES] __attribute__((aligned(64)));
    unsigned char values[FISQL_VALUES_BYTES_MAX + 64];
    struct value_writer writer = {.at = values, .limit = values + FISQL_VALUES_BYTES_MAX};
    struct thread_log *log = current_log;
    uint32_t mask = state_mask();
    if (log == NULL)
        return;
    if (!capture_number(&writer, returned->general, &awaited->recipe->numbers[0]))
        writer.at = other_result(awaited, writer, log, stack, returned);
    memset(state + STATE_HEADER, 0, 64);
    if (mask != 0)
        __asm__ volatile("xsave64 %0" : "+m"(state) : "a"(mask), "d"(0));
    else
        __asm__ volatile("fxsave64 %0" : "=m"(state));
    __asm__ volatile("fninit");
    watch_left_later(watched, values, (uint32_t)(writer.at - values));
    if (mask != 0)
        __asm__ volatile("xrstor64 %0" : : "m"(state), "a"(mask), "d"(0));
    else
        __asm__ volatile("fxrstor64 %0" : : "m"(state));
}
#else
bool values_watch(const struct watch_leaving *leaving)
{
    (void)leaving;
    return false;
}

static void tell_result(const struct watch_leaving *watched, const struct awaited *awaited,
                        uint64_t stack, const struct values_returned *returned)
{
    (void)watched, (void)awaited, (void)stack, (void)returned;
}
#endif

static struct table *find(struct table *table, uint64_t stack, uint32_t *place)
{
    for (*place = 0; table != NULL && *place < AWAITED_MAX; ++*place)
        if (table->frame[*place] == stack)
            return table;
    return NULL;
}

/* A signal handler interrupted another return, or the function has gone on in another thread. */
static APART struct table *find_elsewhere(uint64_t stack, uint32_t *place)
{
    struct table *table = find(own_table, stack, place);
    uint32_t used = 0;
    struct table *tables = tables_all(&used);
    for (uint32_t i = 0; table == NULL && i < used; i++)
        table = find(&tables[i], stack, place);
    if (table == NULL)
        __builtin_trap(); /* nobody knows where to return to */
    return table;
}

uint64_t values_returned(uint64_t stack, const struct values_returned *returned)
{
    struct table *table = own_table;
    uint32_t place = 0;
    if (UNLIKELY(table == NULL || table->frame[0] != stack))
        table = find_elsewhere(stack, &place);
    struct awaited *awaited = &table->awaited[place];
    uint64_t address = awaited->address;
    if (!record(awaited, stack, returned))
        count(&lost.separated);
    if (UNLIKELY(awaited->watched.callbacks != 0)) {
        const struct awaited taken = *awaited;
        BARRIER();
        table->frame[place] = 0; /* the callbacks may await results of their own */
        tell_result(&taken.watched, &taken, stack, returned);
        return address;
    }
    BARRIER();
    table->frame[place] = 0;
    return address;
}

/* The unwinder may have come with a library that the program opened itself. */
static uint64_t find_resume(void)
{
    static const char *const libraries[] = {"libgcc_s.so.1", "libunwind.so.1"};
    void *found = quiet_symbol("_Unwind_Resume");
    for (size_t i = 0; found == NULL && i < sizeof libraries / sizeof libraries[0]; i++) {
        collector_inside++;
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        found = library != NULL ? dlsym(library, "_Unwind_Resume") : NULL;
        collector_inside--;
    }
    return (uint64_t)(uintptr_t)found;
}

uint64_t values_unwinding(uint64_t stack)
{
    static uint64_t resume; /* atomic */
    struct table *table = own_table;
    struct thread_log *log = current_log;
    struct stack_bounds none = {1, 0};
    const struct read_stack reading = {log != NULL ? &log->shadow.bounds : &none, stack, false};
    for (uint32_t i = 0; table != NULL && i < table->places && i < AWAITED_MAX; i++)
        if (table->frame[i] > stack && still_comes(table, i, &reading)) {
            struct watch_leaving watched = table->awaited[i].watched;
            *table->awaited[i].slot = table->awaited[i].held;
            BARRIER();
            table->frame[i] = 0;
            if (watched.callbacks != 0)
                watch_left_later(&watched, NULL, 0);
        }
    uint64_t address = __atomic_load_n(&resume, __ATOMIC_RELAXED);
    if (address == 0)
        __atomic_store_n(&resume, address = find_resume(), __ATOMIC_RELAXED);
    return address;
}
