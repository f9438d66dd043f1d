/* Checksums of source files: see program_checksums.h. */
#include "loader/program/program_checksums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "debuginfo/dwarf/dwarf_checksums.h"
#include "debuginfo/symbols/symbol_files.h"

struct reading {
    struct source_checksums *checksums;
    struct intern seen; /* by path and half of the checksum: each unit names its headers anew */
    struct error *error;
};

static int take(void *context, const char *path, const unsigned char md5[DWARF_MD5_BYTES])
{
    struct reading *reading = context;
    struct source_checksum checksum = {.path = path};
    uint32_t index, before = reading->seen.count;
    uint64_t half;
    memcpy(&half, md5, sizeof half);
    if (intern_add(&reading->seen, (uint64_t)(uintptr_t)path, half, &index, reading->error) != 0)
        return -1;
    if (index < before)
        return 0;
    for (int i = 0; i < DWARF_MD5_BYTES; i++)
        snprintf(checksum.md5 + 2 * i, 3, "%02x", md5[i]);
    return array_add(&reading->checksums->items, &reading->checksums->count,
                     &reading->checksums->capacity, checksum, reading->error);
}

static bool has_files(const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->functions_count; i++)
        if (symbols->functions[i].file != NULL)
            return true;
    return false;
}

static int read_module(const struct program_module *module, const struct symbols_options *options,
                       struct reading *reading)
{
    struct symbol_files *files = calloc(1, sizeof *files);
    struct symbols_options packed = *options;
    const char *problem;
    packed.names_only = true;
    if (files == NULL)
        return error_set(reading->error, "out of memory");
    int result =
        symbol_files_find(files, module->path, module->build_id != NULL ? module->build_id : "",
                          &packed, &problem, reading->error);
    if (result == 0 && files->debug != NULL)
        result = dwarf_checksums(files->debug, &reading->checksums->paths, take, reading,
                                 reading->error);
    symbol_files_close(files);
    free(files);
    return result;
}

static int by_path(const void *left, const void *right)
{
    const struct source_checksum *a = left, *b = right;
    return strcmp(a->path, b->path);
}

/* One of each path. */
static void join(struct source_checksums *checksums)
{
    size_t kept = 0;
    array_sort(checksums->items, checksums->count, by_path);
    for (size_t i = 0; i < checksums->count; i++) {
        struct source_checksum *last = kept > 0 ? &checksums->items[kept - 1] : NULL;
        if (last == NULL || strcmp(last->path, checksums->items[i].path) != 0)
            checksums->items[kept++] = checksums->items[i];
        else if (strcmp(last->md5, checksums->items[i].md5) != 0)
            last->md5[0] = '\0';
    }
    checksums->count = kept;
}

int program_checksums(const struct program *program, const struct symbols_options *options,
                      struct source_checksums *checksums, struct error *error)
{
    struct reading reading = {.checksums = checksums, .error = error};
    int result = 0;
    for (size_t i = 0; i < program->modules_count && result == 0; i++)
        if (has_files(&program->modules[i].symbols))
            result = read_module(&program->modules[i], options, &reading);
    intern_release(&reading.seen);
    join(checksums);
    return result;
}

void program_checksums_release(struct source_checksums *checksums)
{
    free(checksums->items);
    text_pool_release(&checksums->paths);
    *checksums = (struct source_checksums){.items = NULL};
}

const char *program_checksum_of(const struct source_checksums *checksums, const char *path)
{
    const struct source_checksum key = {.path = path};
    const struct source_checksum *found =
        checksums->count == 0
            ? NULL
            : bsearch(&key, checksums->items, checksums->count, sizeof key, by_path);
    return found != NULL && found->md5[0] != '\0' ? found->md5 : NULL;
}
