/* What a load has to say: see load_report.h. */
#include "loader/load_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

void load_report_say(struct load_report *report, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    if (array_reserve(&report->messages, &report->messages_room, report->messages_count + 1,
                      NULL) != 0) {
        free(text);
        return;
    }
    report->messages[report->messages_count++] = text;
}

void load_report_release(struct load_report *report)
{
    for (size_t i = 0; i < report->messages_count; i++)
        free(report->messages[i]);
    free(report->messages);
    report->messages = NULL;
    report->messages_count = report->messages_room = 0;
}
