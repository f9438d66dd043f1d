/*
 * The cache of inventories: see symbol_cache.h. A file CACHE_DIR/BUILD-ID.symbols, little-endian:
 *
 *   offset  size  meaning
 *   0       96    struct cache_header: sizes, and the files that it was made of
 *   96            functions, ranges, offsets of units, unit ranges: arrays
 *   then          texts, each with its NUL; the first is empty and means "none"
 *
 * We write it under another name and rename it, so readers see all of it or nothing. A checksum
 * shows damage. We still check each number, because others may have written the file. The cache is
 * bounded: the files used longest ago go first.
 */
#include "debuginfo/symbols/symbol_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/must.h"
#include "base/unfinished.h"
#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/symbols/symbol_lines.h"

#define CACHE_MAGIC 0x4d59534c51534946u /* "FISQLSYM" */
#define CACHE_VERSION 11u
#define CACHE_TOTAL_MAX ((uint64_t)1 << 30) /* bytes of all files together */
#define CACHE_DEBUG_MIN                                                                            \
    ((uint64_t)128 << 10)                   /* bytes of .debug_info from which a file pays: 50 ms */
#define CACHE_FUNCTIONS_MIN 10000u          /* the same without it */
#define CACHE_COUNT_MAX ((uint64_t)1 << 28) /* of anything; more is damage */

struct cache_header {
    uint64_t magic, checksum; /* checksum: of all that follows it */
    uint32_t version;
    uint8_t instrumented,
        frames;              /* frames: made with functions that only unwind information knows */
    uint8_t inlines, source; /* source: an index of sources[] */
    uint64_t module_bytes, module_modified_ns, debug_bytes, debug_modified_ns;
    uint64_t functions, ranges, units, unit_ranges, text_bytes;
};
_Static_assert(sizeof(struct cache_header) == 96, "the header is part of the cache's format");

static const char *const sources[] = {"none", "symtab", "dwarf"};
#define SOURCES_COUNT (sizeof sources / sizeof *sources)

static uint8_t source_index(const char *source)
{
    uint8_t index = 0;
    while (index < SOURCES_COUNT - 1 && strcmp(sources[index], source) != 0)
        index++;
    must(strcmp(sources[index], source) == 0);
    return index;
}

struct cache_function {
    uint64_t address, size, name, linkage_name, file; /* the last three: offsets of texts */
    uint32_t line, same_as;
    uint8_t instrumented, inlined, scope, unused; /* scope: enum symbol_scope */
    uint32_t call_targets;
    uint32_t call_sources, inlined_copies;
};

bool symbol_cache_path(char *path, size_t size, const char *cache_dir,
                       const struct elf_file *module, const char *suffix)
{
    /* elf_file.c makes the name of letters, digits and dashes. */
    return cache_dir != NULL && module->cache_name[0] != 0 &&
           snprintf(path, size, "%s/%s%s", cache_dir, module->cache_name, suffix) < (int)size;
}

#define HASH_FROM 16 /* the header's bytes that the checksum does not cover */

/* Eight bytes at a time: a cache file may hold 100 MB and more. */
static uint64_t hash_words(uint64_t hash, const unsigned char *bytes, size_t size_bytes)
{
    uint64_t word;
    for (size_t at = 0; at + 8 <= size_bytes; at += 8) {
        memcpy(&word, bytes + at, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t checksum_of(const struct cache_header *header, uint64_t size_bytes)
{
    return hash_words(TEXT_HASH_START, (const unsigned char *)header + HASH_FROM,
                      (size_t)size_bytes - HASH_FROM);
}

static uint64_t expected_bytes(const struct cache_header *header)
{
    if (header->functions > CACHE_COUNT_MAX || header->ranges > CACHE_COUNT_MAX ||
        header->units > CACHE_COUNT_MAX || header->unit_ranges > CACHE_COUNT_MAX ||
        header->text_bytes > CACHE_TOTAL_MAX || header->text_bytes % 8 != 0)
        return 0;
    return sizeof *header + header->functions * sizeof(struct cache_function) +
           header->ranges * sizeof(struct symbol_range) + header->units * sizeof(uint64_t) +
           header->unit_ranges * sizeof(struct dwarf_unit_range) + header->text_bytes;
}

/* ---- reading ---- */

int symbol_cache_open(const char *path, struct stat *status)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, status) == 0 && S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
        (status->st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

/* Maps the file; NULL if it is damaged or was made of other files. */
static const struct cache_header *map_cache(const char *path, const struct symbol_files *files,
                                            size_t *size_bytes)
{
    struct stat status;
    int descriptor = symbol_cache_open(path, &status);
    if (descriptor < 0)
        return NULL;
    void *map = MAP_FAILED;
    if ((uint64_t)status.st_size >= sizeof(struct cache_header))
        map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    futimens(descriptor, NULL); /* used now */
    close(descriptor);
    if (map == MAP_FAILED)
        return NULL;
    const struct cache_header *header = map;
    *size_bytes = (size_t)status.st_size;
    if (header->magic == CACHE_MAGIC && header->version == CACHE_VERSION &&
        header->module_bytes == files->module.size_bytes &&
        header->module_modified_ns == files->module.modified_ns &&
        header->debug_bytes == (files->debug != NULL ? files->debug->elf.size_bytes : 0) &&
        header->debug_modified_ns == (files->debug != NULL ? files->debug->elf.modified_ns : 0) &&
        header->source < SOURCES_COUNT && (files->debug != NULL || header->units == 0) &&
        expected_bytes(header) == *size_bytes && header->text_bytes > 0 &&
        ((const char *)map)[*size_bytes - 1] == 0 &&
        checksum_of(header, *size_bytes) == header->checksum)
        return header;
    munmap(map, *size_bytes);
    return NULL;
}

/* Copies the functions; false if a number is out of range. */
static bool take_functions(struct symbols *symbols, const struct cache_header *header,
                           const struct cache_function *functions, const char *texts,
                           const char *module_path)
{
    for (uint64_t i = 0; i < header->functions; i++) {
        const struct cache_function *from = &functions[i];
        if (from->name >= header->text_bytes || from->linkage_name >= header->text_bytes ||
            from->file >= header->text_bytes || from->same_as >= header->functions ||
            from->scope > SYMBOL_SCOPE_GLOBAL)
            return false;
        const char *linkage = from->linkage_name != 0 ? texts + from->linkage_name : NULL;
        const char *file = from->file != 0 ? texts + from->file : NULL;
        symbols->functions[i] = (struct symbol_function){
            .address = from->address,
            .size = from->size,
            .name = texts + from->name,
            .linkage_name = linkage,
            .file = file,
            .line = from->line,
            .instrumented = from->instrumented == 1,
            .inlined = from->inlined == 1,
            .scope = (enum symbol_scope)from->scope,
            .call_targets = from->call_targets,
            .call_sources = from->call_sources,
            .inlined_copies = from->inlined_copies,
            .stable_id = symbols_stable_id(module_path,
                                           linkage != NULL ? linkage : texts + from->name, file),
            .same_as = from->same_as};
    }
    symbols->functions_count = (size_t)header->functions;
    return true;
}

static bool take_ranges(struct symbols *symbols, const struct cache_header *header,
                        const struct symbol_range *ranges)
{
    for (uint64_t i = 0; i < header->ranges; i++)
        if (ranges[i].function >= header->functions || ranges[i].end < ranges[i].start ||
            (i > 0 && ranges[i].start < ranges[i - 1].start))
            return false;
    memcpy(symbols->ranges, ranges, (size_t)header->ranges * sizeof *ranges);
    symbols->ranges_count = (size_t)header->ranges;
    return true;
}

static int take_lines(struct symbols *symbols, struct symbol_files *files,
                      const struct cache_header *header, const uint64_t *units,
                      const struct dwarf_unit_range *ranges, struct error *error)
{
    struct dwarf_unit *list = calloc((size_t)header->units + 1, sizeof *list);
    if (list == NULL)
        return error_set(error, "out of memory");
    for (uint64_t i = 0; i < header->units; i++)
        list[i].die = units[i];
    struct dwarf_file *debug = files->debug;
    files->debug = NULL;
    int result = symbol_lines_open(&symbols->lines, debug, files->path, list, (size_t)header->units,
                                   ranges, (size_t)header->unit_ranges, error);
    free(list);
    return result;
}

int symbol_cache_read(struct symbols *symbols, struct symbol_files *files, const char *module_path,
                      const struct symbols_options *options, struct error *error)
{
    char path[4200];
    size_t size_bytes;
    if (!symbol_cache_path(path, sizeof path, options->cache_dir, &files->module, SYMBOLS_SUFFIX))
        return 0;
    const struct cache_header *header = map_cache(path, files, &size_bytes);
    if (header != NULL && header->frames != options->as_is) {
        munmap((void *)(uintptr_t)header, size_bytes);
        header = NULL;
    }
    if (header == NULL)
        return 0;
    const struct cache_function *functions = (const void *)(header + 1);
    const struct symbol_range *ranges = (const void *)(functions + header->functions);
    const uint64_t *units = (const void *)(ranges + header->ranges);
    const struct dwarf_unit_range *unit_ranges = (const void *)(units + header->units);
    symbols->functions = calloc((size_t)header->functions + 1, sizeof *symbols->functions);
    symbols->ranges = calloc((size_t)header->ranges + 1, sizeof *symbols->ranges);
    symbols->cached_texts = malloc((size_t)header->text_bytes);
    int result =
        symbols->functions != NULL && symbols->ranges != NULL && symbols->cached_texts != NULL
            ? 1
            : error_set(error, "out of memory for %zu bytes", size_bytes);
    if (result == 1) {
        memcpy(symbols->cached_texts, unit_ranges + header->unit_ranges,
               (size_t)header->text_bytes);
        if (!take_functions(symbols, header, functions, symbols->cached_texts, module_path) ||
            !take_ranges(symbols, header, ranges))
            result = 0;
        else if (files->debug != NULL &&
                 take_lines(symbols, files, header, units, unit_ranges, error) != 0)
            result = -1;
    }
    if (result != 1) {
        free(symbols->functions);
        free(symbols->ranges);
        free(symbols->cached_texts);
        symbols->functions = NULL;
        symbols->ranges = NULL;
        symbols->cached_texts = NULL;
        symbols->functions_count = symbols->ranges_count = 0;
    }
    if (result == 1)
        symbols->source = sources[header->source];
    symbols->cached = result == 1;
    symbols->inlines = result == 1 && header->inlines;
    munmap((void *)(uintptr_t)header, size_bytes);
    return result;
}

/* ---- writing ---- */

/* The texts by their offsets, each once. */
struct text_list {
    const char **texts; /* borrowed */
    uint64_t *offsets;
    size_t texts_capacity, offsets_capacity, count;
    uint64_t used;       /* bytes */
    struct intern known; /* address of a text -> index */
    bool failed;
};

/* The offset of a text, which joins the list if it is new; 0 for NULL. */
static uint64_t put_text(struct text_list *list, const char *text)
{
    uint32_t index;
    if (text == NULL || list->failed)
        return 0;
    if (intern_add(&list->known, (uint64_t)(uintptr_t)text, 0, &index, NULL) != 0 ||
        array_reserve(&list->offsets, &list->offsets_capacity, (size_t)index + 1, NULL) != 0 ||
        array_reserve(&list->texts, &list->texts_capacity, (size_t)index + 1, NULL) != 0) {
        list->failed = true;
        return 0;
    }
    if (index == list->count) {
        list->texts[list->count++] = text;
        list->offsets[index] = list->used;
        list->used += strlen(text) + 1;
    }
    return list->offsets[index];
}

void symbol_cache_make_room(const char *cache_dir, uint64_t room_bytes)
{
    for (int turn = 0; turn < 1000; turn++) {
        uint64_t total = 0;
        char oldest[256] = "";
        struct timespec oldest_time = {0, 0};
        DIR *folder = opendir(cache_dir);
        for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
            struct stat status;
            size_t length = strlen(entry->d_name), suffix = strlen(SYMBOLS_SUFFIX);
            const char *end = entry->d_name + (length < suffix ? 0 : length - suffix);
            if ((strcmp(end, SYMBOLS_SUFFIX) != 0 && strcmp(end, RECIPES_SUFFIX) != 0 &&
                 strcmp(end, PATCHES_SUFFIX) != 0) ||
                fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
                continue;
            total += (uint64_t)status.st_size;
            if (oldest[0] == 0 || status.st_mtim.tv_sec < oldest_time.tv_sec) {
                snprintf(oldest, sizeof oldest, "%s", entry->d_name);
                oldest_time = status.st_mtim;
            }
        }
        bool enough = folder == NULL || oldest[0] == 0 || total + room_bytes <= CACHE_TOTAL_MAX;
        if (!enough && unlinkat(dirfd(folder), oldest, 0) != 0)
            enough = true;
        if (folder != NULL)
            closedir(folder);
        if (enough)
            return;
    }
}

/* A file written from start to end, with the checksum of its content. */
struct cache_out {
    int descriptor;
    bool failed;
    uint64_t hash;
    size_t used;
    unsigned char buffer[65536];
};

static void out_flush(struct cache_out *out)
{
    out->hash = hash_words(out->hash, out->buffer, out->used);
    for (size_t done = 0; !out->failed && done < out->used;) {
        ssize_t written = write(out->descriptor, out->buffer + done, out->used - done);
        out->failed = written <= 0;
        done += written > 0 ? (size_t)written : 0;
    }
    out->used = 0;
}

static void out_put(struct cache_out *out, const void *bytes, size_t size_bytes)
{
    const unsigned char *from = bytes;
    while (size_bytes > 0) {
        size_t room = sizeof out->buffer - out->used;
        size_t part = size_bytes < room ? size_bytes : room;
        memcpy(out->buffer + out->used, from, part);
        out->used += part;
        from += part;
        size_bytes -= part;
        if (out->used == sizeof out->buffer)
            out_flush(out);
    }
}

/* Puts all that follows the header's first two words. */
static void put_content(struct cache_out *out, const struct cache_header *header,
                        const struct symbols *symbols, const struct cache_function *functions,
                        const struct text_list *texts)
{
    static const char zeros[8];
    size_t count = 0;
    const struct dwarf_unit_range *ranges =
        symbols->lines != NULL ? symbol_lines_ranges(symbols->lines, &count) : NULL;
    out_put(out, (const char *)header + HASH_FROM, sizeof *header - HASH_FROM);
    out_put(out, functions, (size_t)header->functions * sizeof *functions);
    out_put(out, symbols->ranges, symbols->ranges_count * sizeof *symbols->ranges);
    for (size_t i = 0; i < header->units; i++) {
        uint64_t unit = symbol_lines_unit_offset(symbols->lines, i);
        out_put(out, &unit, sizeof unit);
    }
    if (count > 0)
        out_put(out, ranges, count * sizeof *ranges);
    for (size_t i = 0; i < texts->count; i++)
        out_put(out, texts->texts[i], strlen(texts->texts[i]) + 1);
    out_put(out, zeros, (size_t)(header->text_bytes - texts->used));
    out_flush(out);
}

static void save(const char *cache_dir, const char *path, struct cache_header *header,
                 const struct symbols *symbols, const struct cache_function *functions,
                 const struct text_list *texts)
{
    char temporary[4300];
    struct cache_out *out = malloc(sizeof *out);
    if (out == NULL)
        return;
    mkdir(cache_dir, 0700);
    symbol_cache_make_room(cache_dir, expected_bytes(header));
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    out->descriptor = unfinished_open(temporary, NULL, 0);
    if (out->descriptor >= 0) {
        out->hash = TEXT_HASH_START;
        out->used = 0;
        out->failed = lseek(out->descriptor, HASH_FROM, SEEK_SET) < 0;
        put_content(out, header, symbols, functions, texts);
        header->checksum = out->hash;
        out->failed |= pwrite(out->descriptor, header, HASH_FROM, 0) != HASH_FROM;
        if (close(out->descriptor) != 0 || out->failed || unfinished_publish(temporary, path) != 0)
            unfinished_remove(temporary);
    }
    free(out);
}

/* Does it take time to find out again? */
static bool pays(const struct symbols *symbols, const struct dwarf_file *debug,
                 const struct symbols_options *options)
{
    const struct dwarf_section *section =
        debug != NULL ? dwarf_file_section(debug, ".debug_info") : NULL;
    if (debug != NULL && (section == NULL || symbols->lines == NULL))
        return false;
    return options->cache_all || (section != NULL && section->size_bytes >= CACHE_DEBUG_MIN) ||
           symbols->functions_count >= CACHE_FUNCTIONS_MIN;
}

void symbol_cache_write(const struct symbols *symbols, const struct symbol_files *files,
                        const struct dwarf_file *debug, const struct symbols_options *options)
{
    char path[4200];
    if (!symbol_cache_path(path, sizeof path, options->cache_dir, &files->module, SYMBOLS_SUFFIX) ||
        !files->code || !pays(symbols, debug, options))
        return;
    struct cache_header header = {.magic = CACHE_MAGIC,
                                  .version = CACHE_VERSION,
                                  .instrumented = symbols->instrumented,
                                  .frames = options->as_is,
                                  .inlines = symbols->inlines,
                                  .source = source_index(symbols->source),
                                  .module_bytes = files->module.size_bytes,
                                  .module_modified_ns = files->module.modified_ns,
                                  .functions = symbols->functions_count,
                                  .ranges = symbols->ranges_count};
    if (debug != NULL) {
        size_t unit_ranges;
        symbol_lines_ranges(symbols->lines, &unit_ranges);
        header.debug_bytes = debug->elf.size_bytes;
        header.debug_modified_ns = debug->elf.modified_ns;
        header.units = symbol_lines_units_count(symbols->lines);
        header.unit_ranges = unit_ranges;
    }
    struct text_list texts = {0};
    struct cache_function *functions = calloc(symbols->functions_count + 1, sizeof *functions);
    put_text(&texts, ""); /* offset 0: none */
    for (size_t i = 0; functions != NULL && i < symbols->functions_count; i++) {
        const struct symbol_function *from = &symbols->functions[i];
        functions[i] = (struct cache_function){from->address,
                                               from->size,
                                               put_text(&texts, from->name),
                                               put_text(&texts, from->linkage_name),
                                               put_text(&texts, from->file),
                                               from->line,
                                               from->same_as,
                                               from->instrumented,
                                               from->inlined,
                                               (uint8_t)from->scope,
                                               0,
                                               from->call_targets,
                                               from->call_sources,
                                               from->inlined_copies};
    }
    header.text_bytes = (texts.used + 7) & ~(uint64_t)7;
    uint64_t size_bytes = expected_bytes(&header);
    if (functions != NULL && !texts.failed && size_bytes > 0 && size_bytes < CACHE_TOTAL_MAX / 2)
        save(options->cache_dir, path, &header, symbols, functions, &texts);
    free(functions);
    free(texts.texts);
    free(texts.offsets);
    intern_release(&texts.known);
}
