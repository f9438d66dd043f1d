/* The loader's errors: see error.h. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#undef error_set

int error_set(struct error *error, const char *format, ...)
{
    if (error == NULL)
        return -1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    for (char *at = error->text; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    }
    return -1;
}
