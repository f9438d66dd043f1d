/* Functions of callbacks: see call_names.h. What processes write there is not trusted. */
#include "cli/record/call_names.h"

#include "base/array.h"
#include "cli/out/cache_folder.h"
#include "cli/record/live_layout.h"
#include "cli/record/record_libraries.h"
#include "cli/record/record_patch.h"
#include "debuginfo/patch/patch_symbols.h"
#include "formats/live_calls.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct found {
    uint64_t *addresses;
    size_t count, capacity;
    uint32_t functions;
};

/* Adds the beginnings of the pieces of code of all matching functions with hooks. A function's
 * pieces need not be neighbours. */
static int add_matches(struct found *found, const struct symbols *symbols, const char *pattern)
{
    const struct record_patterns patterns = {.items = &pattern, .count = 1};
    struct error error;
    bool *matches = calloc(symbols->functions_count + 1, sizeof *matches);
    if (matches == NULL)
        return -1;
    for (size_t i = 0; i < symbols->functions_count; i++) {
        const struct symbol_function *function = &symbols->functions[i];
        matches[i] = function->instrumented &&
                     record_patterns_match(&patterns, function->name, function->file);
        found->functions += matches[i];
    }
    int result = 0;
    for (size_t i = 0; i < symbols->ranges_count && result == 0; i++) {
        if (!matches[symbols->ranges[i].function])
            continue;
        result = array_reserve(&found->addresses, &found->capacity, found->count + 1, &error);
        if (result == 0)
            found->addresses[found->count++] = symbols->ranges[i].start;
    }
    free(matches);
    return result;
}

/* Finds the functions with hooks, compiled or patched, that match. */
static void find(const struct record_options *options, const struct fisql_call_names *asked,
                 struct found *found)
{
    struct symbols symbols;
    struct error error;
    char cache[PATH_MAX];
    struct symbols_options how = {.cache_dir = cache_folder(cache, sizeof cache)};
    if (asked->path[0] != '/' || asked->pattern[0] == 0 || library_is_libc(asked->path))
        return;
    how.as_is = record_patch_takes(options, asked->own != 0 ? asked->path : "", asked->path);
    how.as_is_hooked = options->as_is == 2;
    if (patch_symbols_open(&symbols, asked->path, NULL, &how, &error) != 0 ||
        (symbols.instrumented && add_matches(found, &symbols, asked->pattern) != 0))
        found->functions = 0;
    symbols_release(&symbols);
}

static void answer(struct call_names *names, struct fisql_call_names *entry)
{
    struct fisql_call_names asked = *entry; /* a program that went wild may change it meanwhile */
    struct found found = {.addresses = NULL};
    struct fisql_live_part part = {0, 0};
    asked.path[sizeof asked.path - 1] = asked.pattern[sizeof asked.pattern - 1] = 0;
    find(names->options, &asked, &found);
    size_t bytes = found.count * sizeof *found.addresses;
    if (bytes > 0 && live_put(names->live, found.addresses, bytes, &part.offset))
        part.bytes = bytes;
    free(found.addresses);
    entry->addresses = part;
    entry->functions = part.bytes > 0 ? found.functions : 0;
    __atomic_store_n(&entry->state, FISQL_LATE_ANSWERED, __ATOMIC_RELEASE);
    syscall(SYS_futex, &entry->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void answer_all(void *context)
{
    struct call_names *names = context;
    struct fisql_calls *calls = names->mailbox.part;
    for (uint32_t i = 0; i < FISQL_CALLS_MAX; i++)
        if (__atomic_load_n(&calls->names[i].state, __ATOMIC_ACQUIRE) == FISQL_LATE_ASKED)
            answer(names, &calls->names[i]);
}

/* Room behind the live area's file, which takes memory only where it is used. */
static struct fisql_live_part part_add(const struct live *live)
{
    struct rlimit limit;
    struct stat status;
    if (fstat(live->memory, &status) != 0)
        return (struct fisql_live_part){0, 0};
    struct fisql_live_part part = {live_page_from((size_t)status.st_size),
                                   sizeof(struct fisql_calls)};
    uint64_t end = part.offset + part.bytes;
    bool fits = getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
                end <= limit.rlim_cur;
    return fits && ftruncate(live->memory, (off_t)end) == 0 ? part : (struct fisql_live_part){0, 0};
}

void call_names_start(struct call_names *names, struct live *live,
                      const struct record_options *options)
{
    *names = (struct call_names){.live = live, .options = options};
    struct fisql_live_part part = part_add(live);
    struct fisql_calls *calls = part.bytes > 0 ? live_map(live, part) : NULL;
    if (calls == NULL)
        return;
    if (options->libs.plugin != NULL)
        snprintf(calls->plugin, sizeof calls->plugin, "%s", options->libs.plugin);
    munmap(calls, part.bytes);
    live->area->parts.calls = part;
    mailbox_start(&names->mailbox, live, part, answer_all, names);
}

void call_names_end(struct call_names *names)
{
    mailbox_end(&names->mailbox, false);
}
