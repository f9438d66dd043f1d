/*
 * --only and --exclude: see record_filter.h. A pattern is a shell pattern (fnmatch) for a
 * function's demangled name, its name without parameters, its file's path, or the path's last part.
 * We do not know libraries that the program opens itself (dlopen): with --only none of their
 * functions is recorded, with --exclude all are.
 */
#include "cli/record/record_filter.h"

#include "cli/out/cache_folder.h"
#include "cli/out/say.h"
#include "cli/record/record_libraries.h"
#include "cli/record/record_patch.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/patch/patch_symbols.h"
#include "formats/live.h"
#include "formats/patch_modules.h"
#include "base/memory_text.h"
#include "base/parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct filter {
    const struct record_patterns *patterns;
    const struct record_options *options; /* NULL = not known */
    const struct record_running *running; /* NULL = it does not run yet */
    const char *image;                    /* the program's file */
    FILE *out;
    size_t matches;
    bool threads; /* these functions begin threads: they alone are of interest */
};

/* What a running program has asked about a module, if it was to be patched; NULL = it was not.
 * `path`: as /proc/PID/maps has it. The program has another name for it if there are links. */
static const struct fisql_late_module *late_of(const struct fisql_late *late, const char *path)
{
    char full[PATH_MAX];
    for (uint32_t i = 0; i < FISQL_LATE_MAX; i++) {
        const struct fisql_late_module *module = &late->modules[i];
        if (__atomic_load_n(&module->state, __ATOMIC_ACQUIRE) == FISQL_LATE_ANSWERED &&
            module->plan.bytes != 0 && memchr(module->path, 0, sizeof module->path) != NULL &&
            realpath(module->path, full) != NULL && strcmp(full, path) == 0)
            return module;
    }
    return NULL;
}

static bool is_running(const struct filter *filter)
{
    return filter->running != NULL && filter->running->late != NULL;
}

/* Is the module, where it does not call the hooks, recorded as it is? */
static bool is_as_is(const struct filter *filter, const char *path)
{
    if (filter->options != NULL)
        return record_patch_takes(filter->options, filter->image, path);
    if (is_running(filter))
        return late_of(filter->running->late, path) != NULL;
    return fisql_patch_is_own(filter->image, path) && !fisql_patch_is_base(path);
}

static bool has_library_calls(const struct filter *filter)
{
    if (filter->options != NULL)
        return filter->options->libs.calls;
    return filter->running != NULL && filter->running->library_calls;
}

/* The name of a module for the program: the dynamic linker's. */
static const char *linker_name(const struct filter *filter, const char *path)
{
    const struct fisql_late_module *module =
        is_running(filter) ? late_of(filter->running->late, path) : NULL;
    return module != NULL ? module->path : path;
}

static int add_exported(void *context, const struct elf_symbol *symbol)
{
    struct filter *filter = context;
    if (!record_patterns_match(filter->patterns, symbol->name, NULL))
        return 0;
    fprintf(filter->out, "%llx\n", (unsigned long long)symbol->address);
    filter->matches++;
    return 0;
}

/* A library of which calls are recorded: its functions by the names that others know. The path is the
 * one that the dynamic linker has; /proc/PID/maps has /usr/lib where that has /lib. */
static int add_library(struct filter *filter, const char *path)
{
    struct elf_file library;
    bool merged = filter->running != NULL && starts_with(path, "/usr/lib");
    if (elf_file_open(&library, path) == NULL) {
        for (const char *name = path; name != NULL;
             name = merged && name == path ? path + strlen("/usr") : NULL) {
            fprintf(filter->out, "module %s\n", name);
            elf_file_functions(&library, SHT_DYNSYM, add_exported, filter);
        }
    }
    elf_file_close(&library);
    return 0;
}

static int add_module(void *context, const char *path)
{
    struct filter *filter = context;
    struct symbols symbols;
    struct error error;
    char full[PATH_MAX], cache[PATH_MAX];
    struct symbols_options options = {.cache_dir = cache_folder(cache, sizeof cache)};
    if (realpath(path, full) == NULL)
        return 0;
    options.as_is = is_as_is(filter, full);
    if (patch_symbols_open(&symbols, full, NULL, &options, &error) != 0) {
        symbols_release(&symbols);
        return fail("%s: %s", path, error.text);
    }
    if (!symbols.instrumented && !filter->threads && has_library_calls(filter)) {
        symbols_release(&symbols);
        return add_library(filter, path);
    }
    if (symbols.instrumented || filter->threads)
        fprintf(filter->out, "module %s\n", linker_name(filter, full));
    for (size_t i = 0; i < symbols.ranges_count; i++) {
        const struct symbol_function *function = &symbols.functions[symbols.ranges[i].function];
        if (!record_patterns_match(filter->patterns, function->name, function->file))
            continue;
        fprintf(filter->out, "%llx\n", (unsigned long long)symbols.ranges[i].start);
        filter->matches++;
    }
    symbols_release(&symbols);
    return 0;
}

/* Begins the text. Returns 0, or 2 after saying that memory ran out. */
static int filter_begin(struct filter *filter, bool only, char **text, size_t *size_bytes)
{
    filter->out = memory_text_open(text, size_bytes);
    if (filter->out == NULL)
        return fail("record: out of memory");
    fputs(only ? "only\n" : "exclude\n", filter->out);
    return 0;
}

static int filter_end(const struct filter *filter, int result)
{
    return fclose(filter->out) != 0 && result == 0 ? fail("record: out of memory") : result;
}

int record_filter_modules(const char *const *paths, size_t paths_count,
                          const struct record_running *running,
                          const struct record_patterns *patterns, bool only, char **text,
                          size_t *size_bytes)
{
    struct filter filter = {
        .patterns = patterns, .running = running, .image = paths_count > 0 ? paths[0] : ""};
    int result = filter_begin(&filter, only, text, size_bytes);
    if (result != 0)
        return result;
    for (size_t i = 0; i < paths_count && result == 0; i++)
        if (running->library_calls || !library_is_libc(paths[i]))
            result = add_module(&filter, paths[i]);
    result = filter_end(&filter, result);
    return result != 0 || filter.matches > 0
               ? result
               : fail("%s: no function's name or file in the running program matches",
                      patterns->items[0]);
}

int record_filter_make(struct record_options *options, const char *program)
{
    char image[PATH_MAX];
    struct filter filter = {.patterns = &options->patterns, .options = options, .image = image};
    if (options->patterns.count == 0 || !program_image(program, image))
        return 0; /* running it says why */
    int result = filter_begin(&filter, options->only, &options->filter, &options->filter_bytes);
    if (result != 0)
        return result;
    result = filter_end(&filter, program_modules(image, options->libs.calls, add_module, &filter));
    return result != 0 || filter.matches > 0
               ? result
               : record_patterns_fail(&options->patterns, program, "");
}

/* ---- threads ---- */

/* Begins the text with the patterns for names. */
static int threads_begin(struct filter *filter, char **text, size_t *size_bytes)
{
    filter->threads = true;
    filter->out = memory_text_open(text, size_bytes);
    if (filter->out == NULL)
        return fail("--threads: out of memory");
    for (size_t i = 0; i < filter->patterns->count; i++)
        fprintf(filter->out, "name %s\n", filter->patterns->items[i]);
    return 0;
}

static int threads_end(const struct filter *filter, int result, const size_t *size_bytes)
{
    if (fclose(filter->out) != 0 && result == 0)
        return fail("--threads: out of memory");
    return result != 0 || *size_bytes <= FISQL_CONTROL_THREADS_MAX
               ? result
               : fail("%s: too many functions match: give a narrower pattern for the threads",
                      filter->patterns->items[0]);
}

int record_threads_modules(const char *const *paths, size_t paths_count,
                           const struct record_patterns *patterns, char **text, size_t *size_bytes)
{
    struct filter filter = {.patterns = patterns, .image = paths_count > 0 ? paths[0] : ""};
    int result = threads_begin(&filter, text, size_bytes);
    if (result != 0)
        return result;
    for (size_t i = 0; i < paths_count && result == 0; i++)
        if (!library_is_libc(paths[i]))
            result = add_module(&filter, paths[i]);
    return threads_end(&filter, result, size_bytes);
}

int record_threads_make(struct record_options *options, const char *program)
{
    char image[PATH_MAX];
    struct filter filter = {
        .patterns = &options->threads.patterns, .options = options, .image = image};
    if (options->threads.patterns.count == 0 || !program_image(program, image))
        return 0; /* running it says why */
    int result = threads_begin(&filter, &options->threads.text, &options->threads.text_bytes);
    return result != 0 ? result
                       : threads_end(&filter, program_modules(image, false, add_module, &filter),
                                     &options->threads.text_bytes);
}
