/*
 * Messages of fisql_trace.h. The Makefile compiles this file alone with vector registers, because
 * printed values may be doubles. The caller saves them: this is an ordinary function, not a hook.
 */
#include "collector/told/trace_say.h"

#include "formats/log.h"

#include <alloca.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define MESSAGE_BYTES 256u /* most are shorter, and stacks of signal handlers small */

static void say(struct fisql_trace_scope *scope, struct fisql_trace_point *point, const char *text,
                size_t length, const void *code)
{
    struct fisql_trace_value value = {.kind = FISQL_TRACE_TEXT_PART, .is.text = text};
    if (length > FISQL_CHECKPOINT_TEXT_MAX) {
        value.kind = FISQL_TRACE_TEXT_CUT;
        length = FISQL_CHECKPOINT_TEXT_MAX;
    }
    value.length = (unsigned)length;
    trace_reach(scope, point, &value, 1, code);
}

EXPORT void fisql_trace_say(struct fisql_trace_scope *scope, struct fisql_trace_point *point,
                            const char *format, ...)
{
    char small[MESSAGE_BYTES];
    const void *code = __builtin_return_address(0);
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof small) {
        say(scope, point, small, (size_t)length, code);
    } else if (length >= 0) {
        size_t room =
            (size_t)length < FISQL_CHECKPOINT_TEXT_MAX ? (size_t)length : FISQL_CHECKPOINT_TEXT_MAX;
        char *large = alloca(room + 1);
        va_start(arguments, format);
        vsnprintf(large, room + 1, format, arguments);
        va_end(arguments);
        say(scope, point, large, (size_t)length, code);
    }
    errno = error;
}
