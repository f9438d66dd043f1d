/*
 * --only and --exclude: see record_filter.h. A pattern is a shell pattern (fnmatch) for a
 * function's demangled name, its name without parameters, its file's path, or the last part of
 * that. Libraries that the program opens itself (dlopen) are not known here: with --only they are
 * not recorded, with --exclude all of their functions are.
 */
#include "cli/record/record_filter.h"

#include "cli/out/cache_folder.h"
#include "cli/out/say.h"
#include "cli/record/record_libraries.h"
#include "cli/record/record_pattern.h"
#include "debuginfo/symbols/symbols.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct filter {
    const struct record_options *options;
    FILE *out;
    size_t matches;
};

static bool matches(const struct record_options *options, const struct symbol_function *function)
{
    return record_pattern_matches(options->patterns, options->patterns_count, function->name,
                                  function->file);
}

static int add_module(struct filter *filter, const char *path)
{
    struct symbols symbols;
    struct error error;
    char full[PATH_MAX], cache[PATH_MAX];
    const struct symbols_options options = {.cache_dir = cache_folder(cache, sizeof cache)};
    if (realpath(path, full) == NULL)
        return 0;
    if (symbols_open(&symbols, full, NULL, &options, &error) != 0) {
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

static int add_library(void *context, const char *path)
{
    return library_is_libc(path) ? 0 : add_module(context, path);
}

static void filter_begin(const struct filter *filter)
{
    fputs(filter->options->only ? "only\n" : "exclude\n", filter->out);
}

static int out_of_memory(void)
{
    fail("record: out of memory");
    return -1;
}

int record_filter_modules(const char *const *paths, size_t paths_count, const char *const *patterns,
                          size_t patterns_count, bool only, char **text, size_t *size_bytes)
{
    struct record_options options = {.only = only, .patterns_count = patterns_count};
    struct filter filter = {.options = &options};
    int result = 0;
    options.patterns = malloc(patterns_count * sizeof *patterns);
    filter.out = open_memstream(text, size_bytes);
    if (options.patterns == NULL || filter.out == NULL)
        result = out_of_memory();
    for (size_t i = 0; i < patterns_count && result == 0; i++)
        options.patterns[i] = patterns[i];
    if (result == 0)
        filter_begin(&filter);
    for (size_t i = 0; i < paths_count && result == 0; i++)
        if (!library_is_libc(paths[i]))
            result = add_module(&filter, paths[i]);
    if (filter.out != NULL && fclose(filter.out) != 0 && result == 0)
        result = out_of_memory();
    free(options.patterns);
    if (result == 0 && filter.matches == 0) {
        fail("%s: no function's name or file in the running program matches", patterns[0]);
        result = -1;
    }
    return result == 0 ? 0 : 2;
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
    filter_begin(&filter);
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
