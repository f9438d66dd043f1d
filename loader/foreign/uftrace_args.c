/* How arguments lie behind uftrace's records: see uftrace.h. The language of specs is documented in
 * doc/uftrace-record.md of https://github.com/namhyung/uftrace, "ARGUMENTS". */
#include "loader/foreign/uftrace.h"

#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define PATTERN_BYTES_MAX 200u /* regular expressions come from the file */

int uftrace_specs_read(struct uftrace_specs *specs, const char *text, struct error *error)
{
    struct uftrace_specs fresh = {.text = strdup(text)};
    int result = fresh.text == NULL ? error_set(error, "out of memory") : 0;
    char *rest = fresh.text;
    for (char *item; result == 0 && (item = strsep(&rest, ";")) != NULL;) {
        char *at = strchr(item, '@');
        if (at == NULL)
            continue;
        *at = 0;
        const struct uftrace_spec spec = {.name = item, .values = at + 1};
        result = array_add(&fresh.items, &fresh.count, &fresh.capacity, spec, error);
    }
    uftrace_specs_release(specs);
    *specs = fresh;
    return result;
}

void uftrace_specs_release(struct uftrace_specs *specs)
{
    free(specs->text);
    free(specs->items);
    *specs = (struct uftrace_specs){.text = NULL};
}

/* The form and size of `/i32`, `/s`, `/f80`, ... False: none that we know, so nothing behind it can be
 * read. */
static bool read_form(const char *at, size_t bytes, bool is_float, struct uftrace_arg *arg)
{
    arg->form = is_float ? UFTRACE_FLOAT : UFTRACE_SIGNED;
    arg->bytes = 8;
    if (bytes == 0 || *at == '%')
        return true;
    if (*at++ != '/' || --bytes == 0)
        return false;
    char letter = isdigit((unsigned char)*at) ? 0 : *at;
    size_t from = letter != 0;
    switch (letter) {
    case 0:
    case 'd':
    case 'i':
        break;
    case 'u':
    case 'x':
    case 'o':
        arg->form = UFTRACE_UNSIGNED;
        break;
    case 'c':
        arg->bytes = 1;
        break;
    case 's':
    case 'S':
        arg->form = UFTRACE_TEXT;
        return true;
    case 'f':
        arg->form = UFTRACE_FLOAT;
        break;
    case 'p':
        arg->form = UFTRACE_POINTER;
        break;
    case 'e':
        return true; /* an enumeration's name follows */
    case 't':
        arg->form = UFTRACE_STRUCT;
        arg->bytes = (uint32_t)strtoul(at + 1, NULL, 10);
        return arg->bytes <= 65536;
    default:
        return false;
    }
    uint32_t bits = bytes > from && isdigit((unsigned char)at[from])
                        ? (uint32_t)strtoul(at + from, NULL, 10)
                        : 0;
    if (bits == 0)
        return true;
    arg->bytes = bits / 8;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ||
           (bits == 80 && arg->form == UFTRACE_FLOAT);
}

void uftrace_args_read(struct uftrace_args *args, const char *values, bool result, bool declared)
{
    args->count = 0;
    for (const char *at = values; *at != 0; at += *at == ',') {
        size_t length = strcspn(at, ",");
        const char *end = at + length;
        bool is_result = strncmp(at, "retval", 6) == 0, is_float = strncmp(at, "fparg", 5) == 0;
        bool is_arg = strncmp(at, "arg", 3) == 0 && isdigit((unsigned char)at[3]);
        struct uftrace_arg arg = {.position = 0};
        if ((is_result != result) || !(is_result || is_float || is_arg)) {
            at = end;
            continue;
        }
        const char *form = at + (is_result ? 6 : is_float ? 5 : 3);
        unsigned long number = 0;
        while (form < end && isdigit((unsigned char)*form) && number < 1000)
            number = number * 10 + (unsigned long)(*form++ - '0');
        if (args->count == UFTRACE_ARGS_MAX ||
            !read_form(form, (size_t)(end - form), is_float, &arg)) {
            args->count = 0; /* where the next one lies is not known either */
            return;
        }
        if (!result)
            arg.position = declared || is_float || number == 0 || number > UFTRACE_ARGS_MAX
                               ? args->count + 1
                               : (uint32_t)number;
        args->items[args->count++] = arg;
        at = end;
    }
}

static bool has_special(const char *pattern, bool glob)
{
    return strpbrk(pattern, glob ? "*?[]{}" : "?*+^$|[](){}.\\") != NULL;
}

bool uftrace_spec_fits(const struct uftrace_spec *spec, const char *linkage, const char *readable,
                       bool glob)
{
    regex_t pattern;
    if (strcmp(spec->name, linkage) == 0 || strcmp(spec->name, readable) == 0)
        return true;
    if (!has_special(spec->name, glob) || strlen(spec->name) > PATTERN_BYTES_MAX)
        return false;
    if (glob)
        return fnmatch(spec->name, readable, 0) == 0;
    /* A repetition of repetitions takes memory without end. */
    if (strchr(spec->name, '{') != NULL ||
        regcomp(&pattern, spec->name, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool fits = regexec(&pattern, readable, 0, NULL, 0) == 0;
    regfree(&pattern);
    return fits;
}
