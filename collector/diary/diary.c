/*
 * Diaries and reference counts of a program's objects (fisql.h). Each thing that the program says
 * is an event of its thread, and a moment of the object's diary (diary_table.h) with the open
 * calls.
 */
#include "collector/diary/diary.h"

#include "collector/diary/diary_table.h"
#include "collector/diary/diary_tell.h"
#include "collector/core/event.h"
#include "collector/core/quiet.h"

#include <string.h>

/* Errors that we print while the program runs: the log has all of them. */
#define ERRORS_TOLD_MAX 16u

static uint32_t errors_told; /* atomic */

/* Notes the innermost calls in the object's moment. */
static void look(const struct thread_log *log, uint64_t tick, void *context)
{
    struct moment *moment = context;
    const struct shadow_call *top = log->shadow.calls + calls_open(log);
    moment->tick = tick;
    moment->tid = log->live.tid;
    moment->calls = calls_open(log);
    for (uint32_t i = 0; i < moment->calls && i < DIARY_FRAMES; i++) {
        const struct shadow_call *call = top - 1 - i;
        moment->frames[i] = (struct diary_frame){call->function, call->site};
    }
}

static bool begin(void)
{
    return collector_inside == 0 && process_active();
}

/* Records the moment and keeps it. False if recording is off. */
static bool record(struct moment *moment)
{
    static const unsigned char holds[] = {
#define HOLDS(constant, number, name, what) [number] = what,
        FISQL_OBJECT_KINDS(HOLDS)
#undef HOLDS
    };
    unsigned char bytes[FISQL_OBJECT_HEAD_BYTES + FISQL_OBJECT_TEXT_MAX];
    uint32_t count = FISQL_OBJECT_HEAD_BYTES;
    bytes[0] = (unsigned char)moment->kind;
    memcpy(bytes + 1, &moment->from, 8);
    memcpy(bytes + 9, &moment->object, 8);
    if (holds[moment->kind] == FISQL_OBJECT_NUMBER)
        memcpy(bytes + count, &moment->number, 8);
    else if (holds[moment->kind] == FISQL_OBJECT_TEXT)
        memcpy(bytes + count, moment->text, moment->text_bytes);
    count += holds[moment->kind] == FISQL_OBJECT_NUMBER ? 8 : moment->text_bytes;
    if (!log_record_bytes_look(FISQL_CODE_OBJECT, bytes, count, look, moment))
        return false;
    if (moment->kind != FISQL_OBJECT_TELL)
        diary_keep(moment);
    return true;
}

static struct moment moment_of(enum fisql_object_kind kind, const volatile void *object,
                               const void *from)
{
    struct moment moment;
    moment.object = (uint64_t)(uintptr_t)object;
    moment.from = (uint64_t)(uintptr_t)from;
    moment.number = 0;
    moment.kind = kind;
    moment.text_bytes = 0;
    /* cppcheck-suppress uninitvar ; look() sets the others when the event is made */
    return moment;
}

static void record_number(enum fisql_object_kind kind, const volatile void *object,
                          const void *from, int64_t number)
{
    struct moment moment = moment_of(kind, object, from);
    moment.number = number;
    record(&moment);
}

static void tell_error(const volatile void *object, enum diary_why why, int64_t count)
{
    if (__atomic_load_n(&errors_told, __ATOMIC_RELAXED) < ERRORS_TOLD_MAX &&
        __atomic_fetch_add(&errors_told, 1, __ATOMIC_RELAXED) < ERRORS_TOLD_MAX)
        diary_tell((uint64_t)(uintptr_t)object, why, count);
}

EXPORT void fisql_keep(const volatile void *object, const char *state)
{
    if (!begin())
        return;
    struct moment moment = moment_of(FISQL_OBJECT_KEEP, object, __builtin_return_address(0));
    size_t bytes = state != NULL ? strnlen(state, FISQL_OBJECT_TEXT_MAX + 1) : 0;
    if (bytes > FISQL_OBJECT_TEXT_MAX) {
        bytes = FISQL_OBJECT_TEXT_MAX;
        while (bytes > 0 && ((unsigned char)state[bytes] & 0xc0) == 0x80)
            bytes--; /* not inside a UTF-8 character */
    }
    memcpy(moment.text, state != NULL ? state : "", bytes);
    moment.text_bytes = (uint32_t)bytes;
    record(&moment);
}

EXPORT void fisql_keep_number(const volatile void *object, long long state)
{
    if (begin())
        record_number(FISQL_OBJECT_KEEP_NUMBER, object, __builtin_return_address(0), state);
}

EXPORT void fisql_ref(const volatile void *object, long long count)
{
    if (!begin())
        return;
    record_number(FISQL_OBJECT_REF, object, __builtin_return_address(0), count);
    /* The first reference makes an object, perhaps at the address of an earlier one. */
    if (count > 0 && diary_is_gone((uint64_t)(uintptr_t)object))
        tell_error(object, DIARY_REF_AFTER, count);
    else if (count <= 0)
        diary_gone((uint64_t)(uintptr_t)object, false);
}

EXPORT void fisql_unref(const volatile void *object, long long count)
{
    if (!begin())
        return;
    record_number(FISQL_OBJECT_UNREF, object, __builtin_return_address(0), count);
    if (count <= 0)
        tell_error(object, DIARY_GIVEN_BACK_TOO, count);
}

EXPORT void fisql_gone(const volatile void *object)
{
    if (!begin())
        return;
    record_number(FISQL_OBJECT_GONE, object, __builtin_return_address(0), 0);
    diary_gone((uint64_t)(uintptr_t)object, true);
}

EXPORT void fisql_tell(const volatile void *object)
{
    if (!begin())
        return;
    struct moment moment = moment_of(FISQL_OBJECT_TELL, object, __builtin_return_address(0));
    record(&moment);
    diary_tell(moment.object, DIARY_ASKED, 0);
}
