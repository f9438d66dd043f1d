/* The loader's errors: see error.h. */
#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#undef error_set
#undef error_set_kind
#undef error_set_file
#undef error_at

static void replace_controls(char *text)
{
    for (char *at = text; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    }
}

/* Sets words and kind, and no place. The words begin with the name of `file`, if there is one. */
__attribute__((format(printf, 4, 0))) static void set(struct error *error, enum error_kind kind,
                                                      const char *file, const char *format,
                                                      va_list arguments)
{
    int used = 0;
    if (file != NULL)
        used = snprintf(error->text, sizeof error->text, "%s: ", file);
    if (used >= 0 && (size_t)used < sizeof error->text)
        vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, arguments);
    replace_controls(error->text);
    error->kind = kind;
    error->file[0] = '\0';
    error->offset = ERROR_NO_OFFSET;
}

int error_at(struct error *error, const char *file, uint64_t offset)
{
    if (error == NULL)
        return -1;
    snprintf(error->file, sizeof error->file, "%s", file);
    replace_controls(error->file);
    error->offset = offset;
    return -1;
}

int error_set(struct error *error, const char *format, ...)
{
    if (error == NULL)
        return -1;
    va_list arguments;
    va_start(arguments, format);
    set(error, ERROR_SYSTEM, NULL, format, arguments);
    va_end(arguments);
    return -1;
}

int error_set_kind(struct error *error, enum error_kind kind, const char *format, ...)
{
    if (error == NULL)
        return -1;
    va_list arguments;
    va_start(arguments, format);
    set(error, kind, NULL, format, arguments);
    va_end(arguments);
    return -1;
}

int error_set_file(struct error *error, enum error_kind kind, const char *file, const char *format,
                   ...)
{
    if (error == NULL)
        return -1;
    va_list arguments;
    va_start(arguments, format);
    set(error, kind, file, format, arguments);
    va_end(arguments);
    return error_at(error, file, ERROR_NO_OFFSET);
}
