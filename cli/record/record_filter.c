/*
 * --only and --exclude: see record_filter.h. A pattern is a shell pattern (fnmatch) for a
 * function's demangled name, its name without parameters, its file's path, or the last part of
 * that. Libraries that the program opens itself (dlopen) are not known here: with --only they are
 * not recorded, with --exclude all of their functions are.
 */
#include "cli/record/record_filter.h"

#include "cli/out/say.h"
#include "cli/record/record_libraries.h"
#include "loader/symbols/symbols.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct filter {
    const struct record_options *options;
    FILE *out;
    size_t matches;
};

static bool matches(const struct record_options *options, const struct symbol_function *function)
{
    char plain[1024];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(function->name, "("), function->name);
    const char *slash = function->file != NULL ? strrchr(function->file, '/') : NULL;
    for (size_t i = 0; i < options->patterns_count; i++) {
        const char *pattern = options->patterns[i];
        if (fnmatch(pattern, function->name, 0) == 0 || fnmatch(pattern, plain, 0) == 0 ||
            (function->file != NULL && fnmatch(pattern, function->file, 0) == 0) ||
            (slash != NULL && fnmatch(pattern, slash + 1, 0) == 0))
            return true;
    }
    return false;
}

static int add_module(struct filter *filter, const char *path)
{
    struct symbols symbols;
    struct error error;
    char full[PATH_MAX];
    if (realpath(path, full) == NULL)
        return 0;
    if (symbols_read(&symbols, full, NULL, NULL, NULL, &error) != 0) {
        symbols_release(&symbols);
        fail("%s: %s", path, error.text);
        return -1;
    }
    if (symbols.instrumented)
        fprintf(filter->out, "module %s\n", full);
    for (size_t i = 0; i < symbols.ranges_count; i++) {
        if (!matches(filter->options, &symbols.functions[symbols.ranges[i].function]))
            continue;
        fprintf(filter->out, "%llx\n", (unsigned long long)symbols.ranges[i].start);
        filter->matches++;
    }
    symbols_release(&symbols);
    return 0;
}

/* glibc holds hooks that do nothing, for programs that run without a tracer: it is not itself
 * instrumented, and where its debug information is installed reading that takes most of a second.
 */
static bool is_libc(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash != NULL ? slash + 1 : path, "libc.so.", 8) == 0;
}

static int add_library(void *context, const char *path)
{
    return is_libc(path) ? 0 : add_module(context, path);
}

static int out_of_memory(void)
{
    fail("record: out of memory");
    return -1;
}

int record_filter_make(struct record_options *options, const char *program)
{
    char image[PATH_MAX], full[PATH_MAX];
    struct filter filter = {.options = options};
    if (options->patterns_count == 0)
        return 0;
    if (!program_find(program, image, sizeof image) || !program_image(image, sizeof image) ||
        realpath(image, full) == NULL)
        return 0; /* running it will say why */
    filter.out = open_memstream(&options->filter, &options->filter_bytes);
    if (filter.out == NULL)
        return out_of_memory();
    fputs(options->only ? "only\n" : "exclude\n", filter.out);
    int result = add_module(&filter, full);
    if (result == 0)
        result = program_libraries(full, add_library, &filter);
    if (fclose(filter.out) != 0 && result == 0)
        return out_of_memory();
    if (result == 0 && filter.matches == 0) {
        fail("%s: no function's name or file matches%s%s", program,
             options->patterns_count == 1 ? " " : " any of the patterns",
             options->patterns_count == 1 ? options->patterns[0] : "");
        result = -1;
    }
    return result;
}
