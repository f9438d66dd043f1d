/* The cache of recipes: see recipe_cache.h. A file CACHE_DIR/BUILD-ID.recipes: struct cache_header,
 * the hooks, the values, in this machine's byte order. We write it under another name and rename
 * it, so readers see all of it or nothing. A checksum shows damage. We still check each number that
 * leads somewhere, because others may have written the file and the collector trusts it. */
#include "debuginfo/recipes/recipe_cache.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/text_pool.h"
#include "base/unfinished.h"
#include "debuginfo/symbols/symbol_cache.h"

#define CACHE_MAGIC 0x5043455249534946u     /* "FISIRECP" */
#define CACHE_VERSION 16u                   /* raise it when the same code gets other recipes */
#define CACHE_DEBUG_MIN ((uint64_t)4 << 20) /* bytes of .debug_info from which a file pays */
#define CACHE_COUNT_MAX ((uint64_t)1 << 26)
#define FRAME_BYTES_MAX (1 << 24)
#define NEAR_BYTES_MAX 4096 /* from the stack or frame pointer; a stack reaches so far */

struct cache_header {
    uint64_t magic, version, checksum; /* checksum: of all that follows it */
    uint64_t module_bytes, module_modified_ns, debug_bytes, debug_modified_ns;
    uint64_t hooks, values, sites, nameless;
    uint64_t tallies[RECIPE_TALLIES][RECIPE_REASONS_MAX];
};

static uint64_t checksum_of(const struct cache_header *header, const void *hooks,
                            const void *values)
{
    const char *from = (const char *)&header->module_bytes;
    size_t size = sizeof *header - (size_t)(from - (const char *)header);
    uint64_t hash = text_hash(TEXT_HASH_START, from, size);
    hash = text_hash(hash, hooks, (size_t)header->hooks * sizeof(struct fisql_recipe_hook));
    return text_hash(hash, values, (size_t)header->values * sizeof(struct fisql_recipe_value));
}

static bool is_of(const struct cache_header *header, const struct symbol_files *files)
{
    return header->magic == CACHE_MAGIC && header->version == CACHE_VERSION &&
           header->module_bytes == files->module.size_bytes &&
           header->module_modified_ns == files->module.modified_ns &&
           header->debug_bytes == files->debug->elf.size_bytes &&
           header->debug_modified_ns == files->debug->elf.modified_ns &&
           header->hooks <= CACHE_COUNT_MAX && header->values <= CACHE_COUNT_MAX;
}

static bool has_parts(const struct fisql_recipe_value *value)
{
    return value->where == FISQL_WHERE_PIECES || value->where == FISQL_WHERE_EXPRESSION;
}

static bool is_result(const struct fisql_recipe_value *value)
{
    return value->where >= FISQL_WHERE_RESULT && value->where <= FISQL_WHERE_RESULT_MEMORY;
}

/* Are a value's parts in range, and without parts themselves except a piece's steps? */
static bool parts_are_sound(const struct recipes *recipes, const struct fisql_recipe_value *value)
{
    bool steps = value->where == FISQL_WHERE_EXPRESSION;
    if (value->constant > recipes->values_count ||
        value->base > recipes->values_count - value->constant)
        return false;
    for (size_t i = 0; i < value->base; i++) {
        const struct fisql_recipe_value *part = &recipes->values[value->constant + i];
        if (part->where == FISQL_WHERE_PIECES || is_result(part) || (steps && has_parts(part)))
            return false;
    }
    return !steps || value->base <= FISQL_RECIPE_STEPS_MAX;
}

/* Does the register, vector register or element size exist? */
static bool base_is_sound(const struct fisql_recipe_value *value, uint16_t machine)
{
    switch (value->where) {
    case FISQL_WHERE_REGISTER:
    case FISQL_WHERE_MEMORY:
    case FISQL_WHERE_SUM:
        return value->base < (machine == EM_X86_64 ? 16 : 32);
    case FISQL_WHERE_VECTOR:
        return value->base < 8;
    case FISQL_WHERE_RESULT_VECTOR:
        return value->base <= 16;
    default:
        return value->base <= 31;
    }
}

/* Can the collector take and write the value's bytes? */
static bool value_is_sound(const struct recipes *recipes, const struct fisql_recipe_value *value,
                           uint16_t machine)
{
    if (value->where > FISQL_WHERE_STEP || value->what > FISQL_WHAT_BUFFER)
        return false;
    if (value->where == FISQL_WHERE_STEP)
        return value->base < FISQL_STEPS && value->size != 0 && value->size <= 64 &&
               (value->size <= 8 || value->base == FISQL_STEP_BITS);
    if (value->where == FISQL_WHERE_ABSENT)
        return value->large <= FISQL_WHERE_ADDRESS;
    if (value->what == FISQL_WHAT_COUNTED && value->where != FISQL_WHERE_EXPRESSION)
        return false;
    bool is_float = value->size == 4 || value->size == 8 || value->size == 10 || value->size == 16;
    return (value->what != FISQL_WHAT_FLOAT || is_float) &&
           (has_parts(value) ? parts_are_sound(recipes, value) : base_is_sound(value, machine));
}

/* Do the hook's values fit its kind? An exit has one at most; its frame is at the stack or frame
 * pointer, because the collector writes the slot of the return address. */
static bool hook_is_sound(const struct recipes *recipes, const struct fisql_recipe_hook *hook,
                          uint16_t machine)
{
    bool x86 = machine == EM_X86_64;
    if (hook->count > FISQL_RECIPE_VALUES_MAX || hook->first > recipes->values_count ||
        hook->count > recipes->values_count - hook->first)
        return false;
    const struct fisql_recipe_value *values = &recipes->values[hook->first];
    if (hook->exit == 0) {
        for (uint32_t i = 0; i < hook->count; i++)
            if (is_result(&values[i]))
                return false;
        return true;
    }
    if (hook->count == 0)
        return hook->exit == 1;
    return hook->exit == 1 && hook->count == 1 && values->where != FISQL_WHERE_EXPRESSION &&
           call_frame_is_base(machine, hook->cfa_register) && hook->cfa_offset >= 0 &&
           hook->cfa_offset <= FRAME_BYTES_MAX && hook->cfa_offset % 8 == 0 &&
           hook->return_offset % 8 == 0 &&
           (x86 ? hook->return_offset == -8
                : hook->return_offset >= -FRAME_BYTES_MAX && hook->return_offset <= 0);
}

/* Marks memory that claims to be in the frame but is not near it, so that it is read as any
 * other. */
static void distrust_memory(struct fisql_recipe_value *value, uint16_t machine)
{
    bool near = value->offset >= -NEAR_BYTES_MAX && value->offset <= NEAR_BYTES_MAX;
    if (value->where == FISQL_WHERE_MEMORY && !(near && call_frame_is_base(machine, value->base)))
        value->anywhere = 1;
}

/* Can the collector rely on each number? Marks memory that it cannot rely on. */
static bool make_sound(struct recipes *recipes, uint16_t machine)
{
    for (size_t i = 0; i < recipes->values_count; i++) {
        if (!value_is_sound(recipes, &recipes->values[i], machine))
            return false;
        distrust_memory(&recipes->values[i], machine);
    }
    for (size_t i = 0; i < recipes->hooks_count; i++)
        if (!hook_is_sound(recipes, &recipes->hooks[i], machine) ||
            (i > 0 && recipes->hooks[i].address < recipes->hooks[i - 1].address))
            return false;
    return true;
}

int recipe_cache_read(struct recipes *recipes, const struct symbol_files *files,
                      const char *cache_dir, struct error *error)
{
    char path[4200];
    struct cache_header header;
    struct stat status;
    struct recipes found = {.problem = recipes->problem};
    int result = 0;
    if (files->debug == NULL ||
        !symbol_cache_path(path, sizeof path, cache_dir, &files->module, RECIPES_SUFFIX))
        return 0;
    int descriptor = symbol_cache_open(path, &status);
    if (descriptor < 0)
        return 0;
    if (read(descriptor, &header, sizeof header) == sizeof header && is_of(&header, files)) {
        size_t hooks = (size_t)header.hooks * sizeof *found.hooks;
        size_t values = (size_t)header.values * sizeof *found.values;
        futimens(descriptor, NULL); /* used now */
        if ((uint64_t)status.st_size == sizeof header + hooks + values) {
            found.hooks = malloc(hooks + 1);
            found.values = malloc(values + 1);
            found.hooks_count = (size_t)header.hooks;
            found.values_count = (size_t)header.values;
            if (found.hooks == NULL || found.values == NULL)
                result = error_set(error, "out of memory for %zu bytes", hooks + values);
            else
                result = readv(descriptor,
                               (struct iovec[]){{found.hooks, hooks}, {found.values, values}},
                               2) == (ssize_t)(hooks + values) &&
                         checksum_of(&header, found.hooks, found.values) == header.checksum &&
                         make_sound(&found, files->module.machine);
        }
    }
    close(descriptor);
    if (result != 1) {
        free(found.hooks);
        free(found.values);
        return result;
    }
    found.sites = header.sites;
    found.nameless = header.nameless;
    memcpy(found.tallies, header.tallies, sizeof found.tallies);
    found.instrumented = found.cached = true;
    *recipes = found;
    return 1;
}

void recipe_cache_write(const struct recipes *recipes, const struct symbol_files *files,
                        const struct symbols_options *options)
{
    char path[4200], temporary[4300];
    const struct dwarf_section *section = dwarf_file_section(files->debug, ".debug_info");
    if (!symbol_cache_path(path, sizeof path, options->cache_dir, &files->module, RECIPES_SUFFIX) ||
        section == NULL || (section->size_bytes < CACHE_DEBUG_MIN && !options->cache_all))
        return;
    struct cache_header header = {.magic = CACHE_MAGIC,
                                  .version = CACHE_VERSION,
                                  .module_bytes = files->module.size_bytes,
                                  .module_modified_ns = files->module.modified_ns,
                                  .debug_bytes = files->debug->elf.size_bytes,
                                  .debug_modified_ns = files->debug->elf.modified_ns,
                                  .hooks = recipes->hooks_count,
                                  .values = recipes->values_count,
                                  .sites = recipes->sites,
                                  .nameless = recipes->nameless};
    size_t hooks = recipes->hooks_count * sizeof *recipes->hooks;
    size_t values = recipes->values_count * sizeof *recipes->values;
    memcpy(header.tallies, recipes->tallies, sizeof header.tallies);
    header.checksum = checksum_of(&header, recipes->hooks, recipes->values);
    mkdir(options->cache_dir, 0700);
    symbol_cache_make_room(options->cache_dir, sizeof header + hooks + values);
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    int descriptor = unfinished_open(temporary, NULL, 0);
    if (descriptor < 0)
        return;
    const struct iovec parts[] = {
        {&header, sizeof header}, {recipes->hooks, hooks}, {recipes->values, values}};
    bool done = writev(descriptor, parts, 3) == (ssize_t)(sizeof header + hooks + values);
    if (close(descriptor) != 0 || !done || unfinished_publish(temporary, path) != 0)
        unfinished_remove(temporary);
}
