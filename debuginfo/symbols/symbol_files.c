/*
 * Finding a module and its debug information: see symbol_files.h.
 *
 * The module is the file at its path under the sysroot, or one in the symbols folder, if it has the
 * recording's build-id. Its debug information is in the module, or in a file named by the build-id
 * (which we compare, also of what debuginfod's client has fetched), or in one that the module's debug link names (whose checksum we compare).
 */
#include "debuginfo/symbols/symbol_files.h"

#include "base/parts.h"

#include "debuginfo/elf/elf_file.h"
#include "debuginfo/symbols/debuginfod.h"
#include "debuginfo/symbols/symbols.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PLACES_MAX 12

struct places {
    char paths[PLACES_MAX][4096];
    unsigned count;
};

__attribute__((format(printf, 2, 3))) static void add_place(struct places *places,
                                                            const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (places->count < PLACES_MAX &&
        vsnprintf(places->paths[places->count], sizeof places->paths[0], format, arguments) <
            (int)sizeof places->paths[0])
        places->count++;
    va_end(arguments);
}

static bool is_hexadecimal(const char *text)
{
    return strlen(text) > 2 && text[strspn(text, "0123456789abcdef")] == 0;
}

/* Opens the first ELF file of the list with the build-id ("" = any). */
static const char *open_module(struct symbol_files *files, const struct places *places,
                               const char *build_id)
{
    const char *problem = "missing";
    for (unsigned i = 0; i < places->count; i++) {
        const char *failure = elf_file_open(&files->module, places->paths[i]);
        if (failure == NULL && build_id[0] != 0 && strcmp(files->module.build_id, build_id) != 0)
            failure = "build-id differs: the file is not the one that was recorded";
        if (failure == NULL) {
            files->module_open = true;
            files->code = true;
            snprintf(files->path, sizeof files->path, "%s", places->paths[i]);
            return NULL;
        }
        elf_file_close(&files->module);
        if (i == 0 || strcmp(problem, "missing") == 0)
            problem = failure;
    }
    return problem;
}

static void drop_debug(struct symbol_files *files)
{
    if (files->debug != NULL)
        dwarf_file_close(files->debug);
    free(files->debug);
    files->debug = NULL;
}

/* Opens a file with debug information; false if it holds none. */
static bool open_debug(struct symbol_files *files, const char *path,
                       const struct symbols_options *options, struct error *error, int *result)
{
    bool unpack = !options->names_only || !files->module_open;
    const char *problem;
    files->debug = malloc(sizeof *files->debug);
    if (files->debug == NULL) {
        *result = error_set(error, "out of memory");
        return false;
    }
    int opened = dwarf_file_open(files->debug, path, unpack, &problem, error);
    if (opened == 0) {
        snprintf(files->debug_path, sizeof files->debug_path, "%s", path);
        return true;
    }
    if (opened < 0)
        *result = -1;
    drop_debug(files);
    return false;
}

static void places_by_id(struct places *places, const char *id, bool debug,
                         const struct symbols_options *options)
{
    const char *sysroot = options->sysroot != NULL ? options->sysroot : "";
    const char *suffix = debug ? ".debug" : "";
    char cache[4096];
    if (!is_hexadecimal(id))
        return;
    if (options->symbols_dir != NULL)
        add_place(places, "%s/.build-id/%.2s/%s%s", options->symbols_dir, id, id + 2, suffix);
    add_place(places, "%s/usr/lib/debug/.build-id/%.2s/%s%s", sysroot, id, id + 2, suffix);
    if (sysroot[0] != 0)
        add_place(places, "/usr/lib/debug/.build-id/%.2s/%s%s", id, id + 2, suffix);
    if (debuginfod_cache(cache, sizeof cache))
        add_place(places, "%s/%s/%s", cache, id, debug ? "debuginfo" : "executable");
}

/* Opens the file that .gnu_debuglink names, if its checksum is right. */
static int find_by_link(struct symbol_files *files, const char *path,
                        const struct symbols_options *options, const char **problem,
                        struct error *error)
{
    const struct elf_section *link = elf_file_section(&files->module, ".gnu_debuglink");
    const char *sysroot = options->sysroot != NULL ? options->sysroot : "";
    uint32_t wanted;
    if (link == NULL || link->data == NULL || link->size_bytes < 8 ||
        memchr(link->data, 0, (size_t)link->size_bytes - 4) == NULL)
        return 0;
    const char *name = (const char *)link->data;
    size_t at = (strlen(name) + 4) & ~(size_t)3;
    if (at > link->size_bytes - 4 || strchr(name, '/') != NULL || name[0] == 0)
        return 0;
    memcpy(&wanted, link->data + at, sizeof wanted);
    struct places *places = calloc(1, sizeof *places);
    if (places == NULL)
        return error_set(error, "out of memory");
    int folder = (int)(last_part(files->path) - files->path);
    int recorded = (int)(last_part(path) - path);
    if (options->symbols_dir != NULL) {
        add_place(places, "%s/%s", options->symbols_dir, name);
        add_place(places, "%s%.*s%s", options->symbols_dir, recorded, path, name);
    }
    add_place(places, "%.*s%s", folder, files->path, name);
    add_place(places, "%.*s.debug/%s", folder, files->path, name);
    add_place(places, "%s/usr/lib/debug/%.*s%s", sysroot, recorded, path, name);
    int result = 0;
    for (unsigned i = 0; i < places->count && files->debug == NULL && result == 0; i++) {
        if (strcmp(places->paths[i], files->path) == 0 ||
            !open_debug(files, places->paths[i], options, error, &result))
            continue;
        const struct elf_file *elf = &files->debug->elf;
        uLong sum = crc32_z(0, elf->bytes, elf->size_bytes);
        if (sum != wanted) {
            *problem = "its debug link's file has another checksum";
            drop_debug(files);
        }
    }
    free(places);
    return result;
}

static int find_debug(struct symbol_files *files, const char *path, const char *build_id,
                      const struct symbols_options *options, const char **problem,
                      struct error *error)
{
    int result = 0;
    if (files->module_open && open_debug(files, files->path, options, error, &result))
        return 0;
    struct places *places = calloc(1, sizeof *places);
    if (places == NULL)
        return error_set(error, "out of memory");
    places_by_id(places, files->module_open ? files->module.build_id : build_id, true, options);
    for (unsigned i = 0; i < places->count && files->debug == NULL && result == 0; i++) {
        if (!open_debug(files, places->paths[i], options, error, &result))
            continue;
        const char *wanted = files->module_open ? files->module.build_id : build_id;
        if (strcmp(files->debug->elf.build_id, wanted) != 0)
            drop_debug(files);
    }
    free(places);
    if (result == 0 && files->debug == NULL && files->module_open)
        result = find_by_link(files, path, options, problem, error);
    return result;
}

int symbol_files_find(struct symbol_files *files, const char *path, const char *build_id,
                      const struct symbols_options *options, const char **problem,
                      struct error *error)
{
    struct places *places = calloc(1, sizeof *places);
    *files = (struct symbol_files){0};
    *problem = NULL;
    if (places == NULL)
        return error_set(error, "out of memory");
    add_place(places, "%s%s", options->sysroot != NULL ? options->sysroot : "", path);
    if (options->symbols_dir != NULL) {
        if (path[0] == '/')
            add_place(places, "%s%s", options->symbols_dir, path);
        /* A file's name alone is enough only if the build-id proves that it is the module. */
        if (build_id[0] != 0)
            add_place(places, "%s/%s", options->symbols_dir, last_part(path));
    }
    places_by_id(places, build_id, false, options);
    *problem = open_module(files, places, build_id);
    free(places);
    if (!files->module_open && build_id[0] == 0)
        return 0;
    if (find_debug(files, path, build_id, options, problem, error) != 0)
        return -1;
    if (!files->module_open && files->debug != NULL) {
        /* The debug file has the names, but no code that could call hooks. */
        const char *failure = elf_file_open(&files->module, files->debug_path);
        files->module_open = failure == NULL;
        *problem = failure != NULL ? failure
                                   : "missing or changed: names come from its debug file alone, "
                                     "functions never called are not known";
    }
    return 0;
}

int symbol_files_ask(struct symbol_files *files, const char *path,
                     const struct symbols_options *options, struct error *error)
{
    const char *id = files->module.build_id;
    char found[4096];
    int result = 0;
    if (files->debug != NULL || !files->module_open || !is_hexadecimal(id) ||
        options->asking == NULL || !debuginfod_can_ask())
        return 0;
    options->asking(options->asking_context, path);
    if (debuginfod_ask(id, found, sizeof found) &&
        open_debug(files, found, options, error, &result) &&
        strcmp(files->debug->elf.build_id, id) != 0)
        drop_debug(files);
    return result;
}

int symbol_files_unpack(struct symbol_files *files, const char *path, const char *build_id,
                        const struct symbols_options *options, const char **problem,
                        struct error *error)
{
    struct symbols_options all = *options;
    all.names_only = false;
    if (files->debug == NULL || !files->debug->packed)
        return 0;
    drop_debug(files);
    return find_debug(files, path, build_id, &all, problem, error);
}

void symbol_files_close(struct symbol_files *files)
{
    drop_debug(files);
    elf_file_close(&files->module);
    *files = (struct symbol_files){0};
}
