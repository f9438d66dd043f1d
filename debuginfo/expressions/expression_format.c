/* Formats of values: see expression_format.h. */
#include "debuginfo/expressions/expression_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debuginfo/expressions/flag_names.h"
#include "debuginfo/prototypes/flag_parameters.h"

#define FLAGS_MAX 1024

struct reader {
    const char *text;
    size_t at, end;
    struct expression_format *format;
    struct expression_problem *problem;
    struct error *error;
};

static int wrong(struct reader *reader, size_t from, size_t bytes, const char *words)
{
    *reader->problem = (struct expression_problem){.from = from, .bytes = bytes};
    strncpy(reader->problem->words, words, sizeof reader->problem->words - 1);
    return 1;
}

static void skip_spaces(struct reader *reader)
{
    while (reader->at < reader->end &&
           (reader->text[reader->at] == ' ' || reader->text[reader->at] == '\t'))
        reader->at++;
}

/* The bytes of the name at the reader. */
static size_t name_bytes(const struct reader *reader)
{
    size_t at = reader->at;
    for (; at < reader->end; at++) {
        char c = reader->text[at];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_'))
            break;
    }
    return at - reader->at;
}

static bool take(struct reader *reader, char c)
{
    skip_spaces(reader);
    if (reader->at == reader->end || reader->text[reader->at] != c)
        return false;
    reader->at++;
    skip_spaces(reader);
    return true;
}

static int read_number(struct reader *reader, long long *number)
{
    char *stop;
    size_t from = reader->at;
    errno = 0;
    *number = strtoll(reader->text + from, &stop, 0);
    size_t got = (size_t)(stop - (reader->text + from));
    if (got == 0 || errno != 0 || from + got > reader->end)
        return wrong(reader, from, 1, "a number is expected here");
    reader->at = from + got;
    return 0;
}

/* ---- flags ---- */

/* `field`: bits of which a value within them is one name at a time. */
static int add_flag(struct reader *reader, const char *name, size_t bytes, long long value,
                    long long field)
{
    struct expression_format *format = reader->format;
    if (format->enumerators_count == FLAGS_MAX)
        return wrong(reader, reader->at, 1, "too many flags: 1024 at most");
    const struct parameter_enumerator one = {.name = strndup(name, bytes),
                                             .value = value,
                                             .mask = (value & ~field) == 0        ? field
                                                     : (value & (value - 1)) == 0 ? value
                                                                                  : 0};
    if (one.name == NULL)
        return error_set(reader->error, "out of memory");
    if (array_add(&format->enumerators, &format->enumerators_count, &format->enumerators_capacity,
                  one, reader->error) == 0)
        return 0;
    free((void *)(uintptr_t)one.name);
    return -1;
}

/* NAME, NAME=VALUE or PREFIX*. */
static int read_flag(struct reader *reader)
{
    size_t from = reader->at, bytes = name_bytes(reader), found = 0;
    const char *name = reader->text + from;
    long long value;
    if (bytes == 0)
        return wrong(reader, from, 1, "a flag is expected here: NAME, NAME=VALUE or PREFIX*");
    reader->at += bytes;
    if (take(reader, '=')) {
        int result = read_number(reader, &value);
        return result != 0 ? result : add_flag(reader, name, bytes, value, 0);
    }
    bool prefix = take(reader, '*');
    long long field = prefix ? flag_field_of(name, bytes) : 0;
    /* Those of a field first: O_WRONLY|O_CREAT. */
    for (int others = field == 0; others <= 1; others++) {
        for (const struct flag_name *at = flag_names; at->name != NULL; at++) {
            bool in_field = field != 0 && (at->value & ~field) == 0;
            if (strncmp(at->name, name, bytes) != 0 || (!prefix && at->name[bytes] != 0) ||
                in_field == (others == 1))
                continue;
            int result = add_flag(reader, at->name, strlen(at->name), at->value, field);
            if (result != 0)
                return result;
            found++;
        }
    }
    if (found > 0)
        return 0;
    return wrong(reader, from, bytes,
                 prefix ? "no flag of Linux begins so: give their names and values, NAME=VALUE"
                        : "no flag of Linux is named so: give its value, NAME=VALUE");
}

static int read_flags(struct reader *reader)
{
    size_t open = reader->at;
    if (!take(reader, '('))
        return wrong(reader, reader->at, 1, "wants flags: flags(NAME, NAME=VALUE, PREFIX*)");
    do {
        int result = read_flag(reader);
        if (result != 0)
            return result;
    } while (take(reader, ','));
    return take(reader, ')') ? 0 : wrong(reader, open, 1, "`(` is not closed");
}

/* ---- formats ---- */

static int read_dump(struct reader *reader)
{
    long long bytes = 0;
    size_t open = reader->at;
    if (!take(reader, '('))
        return wrong(reader, reader->at, 1, "wants a number of bytes: dump(16)");
    size_t from = reader->at;
    int result = read_number(reader, &bytes);
    if (result == 0 && (bytes < 1 || bytes > (long long)EXPRESSION_DUMP_MAX))
        result = wrong(reader, from, reader->at - from, "a dump has 1 to 64 bytes");
    reader->format->dump_bytes = (unsigned)bytes;
    if (result == 0 && !take(reader, ')'))
        result = wrong(reader, open, 1, "`(` is not closed");
    return result;
}

static int read_format(struct reader *reader)
{
    static const struct {
        const char *name;
        enum parameter_kind kind;
        int (*read)(struct reader *reader);
    } formats[] = {{"hex", PARAMETER_HEX, NULL},
                   {"oct", PARAMETER_OCTAL, NULL},
                   {"char", PARAMETER_CHAR, NULL},
                   {"flags", PARAMETER_ENUM, read_flags},
                   {"dump", PARAMETER_STRUCT, read_dump}};
    skip_spaces(reader);
    size_t from = reader->at, bytes = name_bytes(reader);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strlen(formats[i].name) != bytes ||
            memcmp(reader->text + from, formats[i].name, bytes) != 0)
            continue;
        reader->at += bytes;
        reader->format->kind = formats[i].kind;
        return formats[i].read != NULL ? formats[i].read(reader) : 0;
    }
    return wrong(reader, from, bytes > 0 ? bytes : 1,
                 "no such format: there are hex, oct, char, flags(NAME, ...) and dump(BYTES)");
}

int expression_format_read(const char *text, size_t *at, size_t end,
                           struct expression_format **format, struct expression_problem *problem,
                           struct error *error)
{
    *format = calloc(1, sizeof **format);
    if (*format == NULL)
        return error_set(error, "out of memory");
    struct reader reader = {text, *at, end, *format, problem, error};
    int result = read_format(&reader);
    *at = reader.at;
    if (result != 0) {
        expression_format_free(*format);
        *format = NULL;
        return result;
    }
    for (unsigned i = 0; i < FORMAT_SIZES; i++)
        (*format)->types[i] =
            (struct parameter_type){.kind = (*format)->kind,
                                    .size_bytes = 1u << i,
                                    .is_flags = true,
                                    .enumerators = (*format)->enumerators,
                                    .enumerators_count = (*format)->enumerators_count};
    (*format)->dump = (struct parameter_type){.kind = PARAMETER_STRUCT};
    return 0;
}

void expression_format_free(struct expression_format *format)
{
    for (size_t i = 0; format != NULL && i < format->enumerators_count; i++)
        free((void *)(uintptr_t)format->enumerators[i].name);
    if (format != NULL)
        free(format->enumerators);
    free(format);
}

const struct parameter_type *expression_format_type(const struct expression_format *format,
                                                    unsigned size_bytes)
{
    for (unsigned i = 0; i < FORMAT_SIZES; i++)
        if (format->types[i].size_bytes == size_bytes)
            return &format->types[i];
    return NULL;
}
