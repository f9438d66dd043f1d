/* Names of functions for `fisql trace --follow`: see live_trace_names.h. */
#include "cli/live/live_trace_names.h"

#include "base/array.h"
#include "base/memory_text.h"
#include "base/parts.h"
#include "cli/out/cache_folder.h"
#include "cli/out/say.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX 200000u
#define ANCESTORS_MAX 100

int trace_names_open(struct trace_names *names, const struct live_trace_options *options,
                     const char *log, uint64_t run_id)
{
    *names = (struct trace_names){.options = options};
    names->symbols.cache_dir = cache_folder(names->cache, sizeof names->cache);
    names->points = live_points_open(log, run_id);
    return names->points != NULL ? 0 : fail("out of memory");
}

static void functions_clear(struct trace_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->functions[i].name);
    names->count = 0;
    intern_clear(&names->of_address);
}

void trace_names_close(struct trace_names *names)
{
    for (size_t i = 0; i < TRACE_PROCESSES_MAX; i++)
        live_names_close(names->processes[i].names);
    functions_clear(names);
    free(names->functions);
    intern_release(&names->of_address);
    live_points_close(names->points);
}

void trace_names_trim(struct trace_names *names)
{
    if (names->count > FUNCTIONS_MAX)
        functions_clear(names);
}

static struct trace_process *process_known(struct trace_names *names, uint64_t key)
{
    for (size_t i = 0; i < TRACE_PROCESSES_MAX; i++)
        if (names->processes[i].key == key)
            return &names->processes[i];
    return NULL;
}

/* The names in a process, which may have ended: a forked child then has those of its parent, which
 * is the same program at the same addresses. */
static struct live_names *process_names(struct trace_names *names, uint64_t key, uint32_t pid)
{
    struct error error;
    struct trace_process *process = process_known(names, key);
    if (process == NULL) {
        process = &names->processes[names->processes_next++ % TRACE_PROCESSES_MAX];
        live_names_close(process->names);
        *process = (struct trace_process){.key = key};
        if (live_names_open(&process->names, pid, &names->symbols, &error) == 0)
            live_names_use_points(process->names, names->points, key);
    }
    for (int step = 0; step < ANCESTORS_MAX && key != 0; step++) {
        process = process_known(names, key);
        if (process != NULL && process->names != NULL)
            return process->names;
        key = live_points_parent(names->points, key);
    }
    return NULL;
}

static bool matches(const struct live_trace_options *options, const struct live_place *place)
{
    const char *const all[] = {place->short_name, place->name, place->linkage_name};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] != NULL && options->function != NULL &&
            (strcmp(all[i], options->function) == 0 || fnmatch(options->function, all[i], 0) == 0))
            return true;
    return options->function == NULL;
}

static const char *name_of(const struct live_trace_options *options, const struct live_place *place)
{
    if (options->style == NAMES_LINKAGE && place->linkage_name != NULL)
        return place->linkage_name;
    return options->style == NAMES_SHORT && place->short_name != NULL ? place->short_name
                                                                      : place->name;
}

static void place_find(struct trace_names *names, uint64_t process_key, uint32_t pid,
                       uint64_t address, struct live_place *place)
{
    struct error error;
    struct live_names *of = process_names(names, process_key, pid);
    *place = (struct live_place){.offset = address};
    if (of == NULL)
        return;
    live_names_function(of, address, place);
    if (place->name == NULL && place->module == NULL && !fisql_is_point(address) &&
        live_names_refresh(of, &error) == 0) /* it was loaded meanwhile */
        live_names_function(of, address, place);
}

static char *text_of(const struct trace_names *names, const struct live_place *place)
{
    const char *name = name_of(names->options, place);
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return NULL;
    if (name != NULL)
        fputs(name, out);
    else
        fprintf(out, "%s+0x%" PRIx64, place->module != NULL ? last_part(place->module) : "?",
                place->offset);
    fputc(0, out);
    if (place->file != NULL)
        fprintf(out, "%s:%" PRIu32, last_part(place->file), place->line);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

uint32_t trace_names_find(struct trace_names *names, uint64_t process_key, uint32_t pid,
                          uint64_t address)
{
    uint32_t index;
    struct live_place place;
    struct live_point point;
    struct trace_function function = {.name = NULL};
    struct error error;
    if (intern_add(&names->of_address, process_key, address, &index, &error) != 0)
        return UINT32_MAX;
    if (index < names->count)
        return index;
    place_find(names, process_key, pid, address, &place);
    function.name = text_of(names, &place);
    function.wanted = matches(names->options, &place);
    if (fisql_is_point(address) && live_points_find(names->points, process_key, address, &point))
        function.level = point.point->level;
    if (array_add(&names->functions, &names->count, &names->capacity, function, &error) == 0)
        return index;
    free(function.name);
    intern_clear(&names->of_address); /* it holds a number without a function */
    names->count = 0;
    return UINT32_MAX;
}

const char *trace_function_place(const struct trace_function *function)
{
    return function->name != NULL ? function->name + strlen(function->name) + 1 : "";
}
