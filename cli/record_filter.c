/*
 * --only and --exclude: see record_filter.h. A pattern is a shell pattern (fnmatch) for a
 * function's demangled name, its name without parameters, its file's path, or the last part of
 * that. Libraries that the program opens itself (dlopen) are not known here: with --only they are
 * not recorded, with --exclude all of their functions are.
 */
#include "cli/record_filter.h"

#include "cli/record_libraries.h"
#include "loader/symbols.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
        fprintf(stderr, "fisql: %s: %s\n", path, error.text);
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

static int write_failed(void)
{
    fprintf(stderr, "fisql: the list of functions to record cannot be made: %s\n", strerror(errno));
    return -1;
}

/* The list lies in memory that has no name anywhere, so none is left behind however we end. */
int record_filter_make(struct record_options *options, const char *program)
{
    char image[PATH_MAX], full[PATH_MAX], name[64];
    struct filter filter = {.options = options};
    if (options->patterns_count == 0)
        return 0;
    if (!program_find(program, image, sizeof image) || !program_image(image, sizeof image) ||
        realpath(image, full) == NULL)
        return 0; /* running it will say why */
    options->filter_file = memfd_create("fisql-filter", MFD_CLOEXEC);
    int copy = options->filter_file >= 0 ? dup(options->filter_file) : -1;
    filter.out = copy >= 0 ? fdopen(copy, "w") : NULL;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)getpid(), options->filter_file);
    options->filter_path = strdup(name);
    if (filter.out == NULL || options->filter_path == NULL)
        return write_failed();
    fputs(options->only ? "only\n" : "exclude\n", filter.out);
    int result = add_module(&filter, full);
    if (result == 0)
        result = program_libraries(full, add_library, &filter);
    if (fclose(filter.out) != 0 && result == 0)
        return write_failed();
    if (result == 0 && filter.matches == 0) {
        fprintf(stderr, "fisql: %s: no function's name or file matches%s%s\n", program,
                options->patterns_count == 1 ? " " : " any of the patterns",
                options->patterns_count == 1 ? options->patterns[0] : "");
        result = -1;
    }
    return result;
}
