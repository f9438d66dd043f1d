/*
 * The functions behind the macros of fisql_trace.h.
 *
 * Points. Each use of a macro has a struct fisql_trace_point. When it is first reached, it gets a
 * number in its process, and a chunk of facts describes it (formats/log.h, POINTS). So its names
 * are right without debug information, and events need only the number. A forked child has its
 * parent's numbers.
 *
 * Scopes. A scope is a call, as if hooks entered and left it. Its function's address is
 * FISQL_POINT_ADDRESS and the number, and its entry of the shadow stack has the stack pointer of
 * the function around it. So returns, exceptions and jumps end it as they end other calls. If hooks
 * have entered that very function, whose frame is the innermost call's, the scope is no call of its
 * own.
 *
 * FISQL_ENTRY. The scope keeps its tick. We enter it at its first checkpoint, as far back as events
 * in between allow.
 *
 * Values go straight into the chunk, because stacks may be small. We measure them first, so that a
 * chunk without enough room is written before.
 */
#include "collector/told/trace.h"

#include "collector/core/event.h"
#include "collector/core/facts.h"
#include "collector/core/hooks_slow.h"
#include "collector/core/modules.h"
#include "collector/core/quiet.h"
#include "collector/core/silent.h"
#include "collector/core/thread_choice.h"
#include "collector/core/thread_name.h"
#include "collector/core/value_encode.h"
#include "collector/core/wide_text.h"
#include "collector/told/trace_tell.h"

#include <errno.h>
#include <string.h>

/* ---- levels ---- */

_Static_assert(offsetof(struct fisql_levels, functions) == 0 &&
                   offsetof(struct fisql_levels, values) == 1,
               "the macros look at two bytes");

EXPORT const volatile unsigned char *fisql_trace_levels(void)
{
    static const unsigned char none[2] = {0, 0};
    if (process_active_for_hook())
        return &process.area->levels.functions;
    uint32_t state = __atomic_load_n(&process.active, __ATOMIC_ACQUIRE);
    return state == PROCESS_NEVER ? none : NULL;
}

static uint8_t level_of(int level)
{
    return (uint8_t)(level < 0 ? 0 : level > (int)FISQL_LEVEL_MAX ? (int)FISQL_LEVEL_MAX : level);
}

EXPORT void fisql_trace_set_levels(int functions, int values)
{
    if (!process_active_for_hook())
        return;
    __atomic_store_n(&process.area->levels.functions, level_of(functions), __ATOMIC_RELAXED);
    __atomic_store_n(&process.area->levels.values, level_of(values), __ATOMIC_RELAXED);
}

/* ---- points ---- */

#define SAME(kind)                                                                                 \
    _Static_assert((int)FISQL_TRACE_##kind == (int)FISQL_POINT_##kind, "the macros' numbers");
SAME(FUNCTION)
SAME(ENTRY)
SAME(CHECKPOINT)
SAME(VALUE)
SAME(RESULT)
SAME(MESSAGE)
#undef SAME

static uint32_t points_numbered; /* atomic */

static void point_tell(const struct fisql_trace_point *point, uint32_t number, const void *code)
{
    unsigned char buffer[2048];
    struct facts facts;
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_POINTS, 0, process.pid);
    facts_number(&facts, FISQL_FACT_POINTS_POINT, number);
    if (point->what < FISQL_POINT_KINDS_COUNT)
        facts_text(&facts, FISQL_FACT_POINTS_KIND,
                   fisql_point_word((enum fisql_point_kind)point->what));
    facts_number(&facts, FISQL_FACT_POINTS_LINE, point->line);
    facts_number(&facts, FISQL_FACT_POINTS_LEVEL, point->level);
    facts_hex(&facts, FISQL_FACT_POINTS_ADDRESS, (uint64_t)(uintptr_t)code);
    if (point->label != NULL)
        facts_text(&facts, FISQL_FACT_POINTS_LABEL, point->label);
    facts_text(&facts, FISQL_FACT_POINTS_FUNCTION, point->function);
    facts_text(&facts, FISQL_FACT_POINTS_FILE, point->file);
    if (point->values != NULL)
        facts_text(&facts, FISQL_FACT_POINTS_VALUES, point->values);
    facts_write(&facts);
}

/* The point's number; 0 if there are too many. */
static uint32_t point_number(struct fisql_trace_point *point, const void *code)
{
    uint32_t number = __atomic_load_n(&point->number, __ATOMIC_ACQUIRE), none = 0;
    if (LIKELY(number != 0))
        return number;
    number = __atomic_add_fetch(&points_numbered, 1, __ATOMIC_RELAXED);
    if (number > FISQL_POINT_MAX) {
        __atomic_store_n(&points_numbered, FISQL_POINT_MAX, __ATOMIC_RELAXED);
        return 0;
    }
    if (!__atomic_compare_exchange_n(&point->number, &none, number, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return none;
    struct quiet quiet;
    quiet_begin(&quiet);
    if (!modules_known((uint64_t)(uintptr_t)code))
        modules_refresh();
    point_tell(point, number, code);
    quiet_end(&quiet);
    return number;
}

/* ---- scopes ---- */

enum scope_state { SCOPE_OFF, SCOPE_OPEN, SCOPE_WAITING, SCOPE_OF_HOOKS };

/* The innermost open call; NULL if there is none or it is not known. */
static const struct shadow_call *innermost(void)
{
    const struct thread_log *log = current_log;
    if (log == NULL || log->shadow.blind != 0 || calls_open(log) == 0)
        return NULL;
    return &log->shadow.calls[calls_open(log) - 1];
}

static void scope_open(struct fisql_trace_scope *scope, const void *code, uint64_t since_tick)
{
    uint32_t number = point_number(scope->point, code);
    scope->state = number != 0 ? SCOPE_OPEN : SCOPE_OFF;
    if (number != 0)
        hook_enter_since(FISQL_POINT_ADDRESS | number, (uint64_t)(uintptr_t)scope->site,
                         scope->stack, since_tick);
}

EXPORT void fisql_trace_enter(struct fisql_trace_scope *scope)
{
    const void *code = __builtin_return_address(0);
    scope->stack = FRAME_ADDRESS();
    if (collector_inside != 0 || !process_active_for_hook())
        return;
    const struct shadow_call *call = innermost();
    if (call != NULL && call->stack == scope->stack && !fisql_is_point(call->function)) {
        scope->state = SCOPE_OF_HOOKS;
    } else if (scope->point->what == FISQL_TRACE_ENTRY) {
        scope->state = SCOPE_WAITING;
        scope->tick = clock_read(process.clock);
    } else {
        scope_open(scope, code, 0);
    }
}

EXPORT void fisql_trace_leave(struct fisql_trace_scope *scope)
{
    if (scope->state == SCOPE_OPEN)
        hook_exit_slow(FISQL_POINT_ADDRESS | scope->point->number, (uint64_t)(uintptr_t)scope->site,
                       FRAME_ADDRESS(), false);
    scope->state = SCOPE_OFF;
}

/* ---- values ---- */

#define VALUES_BYTES_MAX (FISQL_CHECKPOINT_BYTES_MAX - 4u)

/* A text as we record it. */
struct text {
    uint32_t length;
    bool cut;
};

/* The bytes of a unit of wide text; 0 = the value is none. */
static uint32_t unit_bytes(const struct fisql_trace_value *value)
{
    switch (value->kind) {
    case FISQL_TRACE_TEXT_16:
    case FISQL_TRACE_TEXT_16_PART:
        return 2;
    case FISQL_TRACE_TEXT_32:
    case FISQL_TRACE_TEXT_32_PART:
        return 4;
    default:
        return 0;
    }
}

/* The unit at an index; 0 at the end of the text. */
static uint32_t unit_at(const struct fisql_trace_value *value, uint32_t bytes, size_t index)
{
    bool part = value->kind == FISQL_TRACE_TEXT_16_PART || value->kind == FISQL_TRACE_TEXT_32_PART;
    uint32_t unit = 0;
    if (!part || index < value->length)
        memcpy(&unit, value->is.text + index * bytes, bytes); /* little-endian */
    return unit;
}

/* Makes at most `bytes_max` bytes of UTF-8 of a wide text, up to its first 0, and puts them at `to`
 * unless that is NULL. The program may change the text between two calls. */
static struct text wide_text(const struct fisql_trace_value *value, unsigned char *to,
                             uint32_t bytes_max)
{
    struct text text = {.length = 0};
    unsigned char character[UTF8_BYTES_MAX];
    uint32_t size = unit_bytes(value), unit;
    for (size_t i = 0; (unit = unit_at(value, size, i)) != 0; i++) {
        uint32_t second = size == 2 && utf16_begins_pair(unit) ? unit_at(value, size, i + 1) : 0;
        if (utf16_ends_pair(second)) {
            unit = utf16_pair(unit, second);
            i++;
        }
        uint32_t bytes = utf8_put(character, unit);
        if (text.length + bytes > bytes_max) {
            text.cut = true;
            break;
        }
        for (uint32_t at = 0; to != NULL && at < bytes; at++)
            to[text.length + at] = character[at];
        text.length += bytes;
    }
    return text;
}

static struct text text_of(const struct fisql_trace_value *value)
{
    if (unit_bytes(value) != 0)
        return value->is.text != NULL ? wide_text(value, NULL, FISQL_CHECKPOINT_TEXT_MAX)
                                      : (struct text){.length = 0};
    if (value->kind == FISQL_TRACE_CHARACTER)
        return (struct text){.length = UTF8_BYTES_MAX};
    size_t length = value->length;
    if (value->kind == FISQL_TRACE_TEXT)
        length =
            value->is.text != NULL ? strnlen(value->is.text, FISQL_CHECKPOINT_TEXT_MAX + 1) : 0;
    struct text text = {.length = (uint32_t)length, .cut = value->kind == FISQL_TRACE_TEXT_CUT};
    if (length > FISQL_CHECKPOINT_TEXT_MAX) {
        text.length = FISQL_CHECKPOINT_TEXT_MAX;
        text.cut = true;
    }
    while (text.cut && text.length > 0 && value->kind != FISQL_TRACE_TEXT_CUT &&
           ((unsigned char)value->is.text[text.length] & 0xc0) == 0x80)
        text.length--; /* not inside a UTF-8 character */
    return text;
}

static bool is_text(const struct fisql_trace_value *value)
{
    return value->kind == FISQL_TRACE_CHARACTER ||
           (value->kind >= FISQL_TRACE_TEXT && value->is.text != NULL);
}

/* The most bytes that a value takes; one that does not fit takes one. */
static uint32_t value_bytes(const struct fisql_trace_value *value, const struct text *text)
{
    return is_text(value) ? VALUE_TEXT_HEAD + text->length : VALUE_SCALAR_BYTES;
}

/* Uses no vector register: hooks that record values leave these alone. */
static void put_value(struct value_writer *writer, const struct fisql_trace_value *value,
                      const struct text *text)
{
    switch (value->kind) {
    case FISQL_TRACE_SIGNED:
        value_put_signed(writer, value->is.whole);
        break;
    case FISQL_TRACE_UNSIGNED:
        value_put_unsigned(writer, (uint64_t)value->is.whole);
        break;
    case FISQL_TRACE_DOUBLE:
        value_put_float(writer, &value->is, 8);
        break;
    case FISQL_TRACE_LONG_DOUBLE:
#if defined(__x86_64__)
        value_put_float(writer, &value->is, 10);
#else
        value_put_float(writer, &value->is, 16);
#endif
        break;
    case FISQL_TRACE_CHARACTER:
        value_put_text(writer, utf8_put(value_text(writer), (uint32_t)value->is.whole), false);
        break;
    default:
        if (!is_text(value)) {
            value_put_pointer(writer, (uint64_t)(uintptr_t)value->is.pointer);
            break;
        }
        struct text put = *text;
        if (unit_bytes(value) == 0)
            memcpy(value_text(writer), value->is.text, put.length);
        else
            put = wide_text(value, value_text(writer), put.length);
        value_put_text(writer, put.length, put.cut || text->cut);
        break;
    }
}

/* A call's values and their bytes. */
struct values {
    const struct fisql_trace_value *items;
    uint32_t count, fit; /* those from `fit` on have no room */
    uint32_t bytes;
    struct text texts[FISQL_CHECKPOINT_VALUES_MAX];
};

static void values_measure(struct values *values, const struct fisql_trace_value *items,
                           uint32_t count)
{
    values->items = items;
    values->count = count < FISQL_CHECKPOINT_VALUES_MAX ? count : FISQL_CHECKPOINT_VALUES_MAX;
    values->bytes = 0;
    for (values->fit = 0; values->fit < values->count; values->fit++) {
        const struct fisql_trace_value *value = &items[values->fit];
        values->texts[values->fit] =
            value->kind >= FISQL_TRACE_TEXT ? text_of(value) : (struct text){.length = 0};
        uint32_t bytes = value_bytes(value, &values->texts[values->fit]);
        if (values->bytes + bytes + (values->count - values->fit) > VALUES_BYTES_MAX)
            break;
        values->bytes += bytes;
    }
    values->bytes += values->count - values->fit;
}

static uint32_t values_put(const struct values *values, unsigned char *at)
{
    struct value_writer writer = {at, at + values->bytes};
    for (uint32_t i = 0; i < values->fit; i++)
        put_value(&writer, &values->items[i], &values->texts[i]);
    for (uint32_t i = values->fit; i < values->count; i++)
        value_put_tag(&writer, FISQL_VALUE_NO_ROOM);
    return (uint32_t)(writer.at - at);
}

/* ---- events ---- */

/* Returns whether it was recorded. */
static bool record(uint32_t number, const struct values *values)
{
    /* Writing a value may overwrite up to 8 bytes behind it; then comes the chunk's padding. */
    uint32_t units = EVENT_UNITS_MAX + (values->bytes + 1) / 2 + 16;
    uint64_t tick, frame = FRAME_ADDRESS();
    for (;;) {
        struct thread_log *log = log_open(frame);
        if (log == NULL)
            return false;
        if (!log_make_room(log, units))
            continue;
        struct event event = {.count = 0};
        tick = clock_read(process.clock);
        uint64_t delta = event_put_delta(&event, log, &tick, true, 0xffff);
        event_put_code(&event, FISQL_CODE_CHECKPOINT);
        event_put(&event, delta, 1);
        uint32_t length_at = event.count;
        event_put(&event, 0, 1);
        event_put(&event, number, 2);
        uint16_t *end = event_copy(log, &event);
        uint32_t bytes = values_put(values, (unsigned char *)end);
        (end - event.count)[length_at] = (uint16_t)(bytes + 4);
        if ((bytes & 1) != 0)
            ((unsigned char *)end)[bytes] = 0;
        if (log_commit_copied(log, event.count + (bytes + 1) / 2, 0, tick))
            return true;
    }
}

/* Writing a value may overwrite up to 8 bytes behind it: an entry has more room than values need. */
static void tell(const struct fisql_trace_point *point, const struct values *values)
{
    struct quiet quiet;
    unsigned char *at;
    if (silent())
        return;
    quiet_begin(&quiet);
    struct fisql_told_entry *entry = trace_tell_begin(point, values->bytes, &at);
    if (entry != NULL)
        trace_tell_end(entry, values_put(values, at));
    quiet_end(&quiet);
}

void trace_reach(struct fisql_trace_scope *scope, struct fisql_trace_point *point,
                 const struct fisql_trace_value *values, unsigned count, const void *code)
{
    struct values measured;
    if (collector_inside != 0 || !process_active_for_hook())
        return;
    if (scope != NULL && scope->state == SCOPE_WAITING) {
        const struct shadow_call *call = innermost();
        bool apart = call != NULL && call->stack < scope->stack; /* in a call made by the scope */
        if (point->what != FISQL_TRACE_CHECKPOINT || apart)
            return;
        scope_open(scope, code, scope->tick);
    }
    uint32_t number = point_number(point, code);
    if (number == 0)
        return;
    values_measure(&measured, values, count);
    if (record(number, &measured) && UNLIKELY(process.options.says))
        tell(point, &measured);
}

EXPORT void fisql_trace_reach(struct fisql_trace_scope *scope, struct fisql_trace_point *point,
                              const struct fisql_trace_value *values, unsigned count)
{
    trace_reach(scope, point, values, count, __builtin_return_address(0));
}

/* Records PAUSED or RESUMED. A call that is not in the log already has its own time counted. */
static void record_pause(uint32_t code)
{
    uint64_t tick, frame = FRAME_ADDRESS();
    struct event event;
    struct thread_log *log;
    if (collector_inside != 0 || !process_active_for_hook())
        return;
    do {
        log = log_open(frame);
        if (log == NULL)
            return;
        if (log->shadow.hidden != 0 || log->shadow.blind != 0) {
            log_leave(log, 0);
            return;
        }
        event.count = 0;
        tick = clock_read(process.clock);
        uint64_t delta = event_put_delta(&event, log, &tick, true, 0xffff);
        event_put_code(&event, code);
        event_put(&event, delta, 1);
    } while (!log_commit(log, &event, 0, tick));
}

EXPORT void fisql_trace_pause(void)
{
    record_pause(FISQL_CODE_PAUSED);
}

EXPORT void fisql_trace_resume(void)
{
    record_pause(FISQL_CODE_RESUMED);
}

/* The thread's next event looks at the choice. */
static void choose_anew(void)
{
    struct thread_log *log = current_log;
    thread_choice.number = thread_choice.skip = 0;
    if (log == NULL || !thread_choice_matters())
        return;
    __atomic_store_n(&log->thread.poke, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&log->live.units_max, 0, __ATOMIC_RELAXED);
}

EXPORT void fisql_trace_record_thread(int on)
{
    if (collector_inside != 0 || !process_active_for_hook())
        return;
    thread_choice.will = on > 0 ? THREAD_WILL_ON : on == 0 ? THREAD_WILL_OFF : THREAD_WILL_NONE;
    choose_anew();
}

EXPORT void fisql_trace_thread(const char *name)
{
    unsigned char buffer[512];
    struct facts facts;
    if (name == NULL || collector_inside != 0 || !process_active_for_hook())
        return;
    thread_name_give(name);
    choose_anew();
    struct thread_log *log = log_open(FRAME_ADDRESS());
    if (log == NULL)
        return;
    uint32_t thread = log->live.thread, tid = log->live.tid;
    log_leave(log, log->live.word);
    struct quiet quiet;
    quiet_begin(&quiet);
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_THREAD, thread, tid);
    facts_text(&facts, FISQL_FACT_THREAD_GIVEN_NAME, name);
    facts_write(&facts);
    quiet_end(&quiet);
}
