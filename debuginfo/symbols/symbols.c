/*
 * Symbols of a module: see symbols.h. symbols_open() finds the module and its debug information
 * (symbol_files.c), looks for calls of the hooks (hook_calls.c), reads the functions that DWARF
 * describes (dwarf_functions.c), makes the inventory of them and the symbol tables
 * (symbol_inventory.c), and opens the line tables (symbol_lines.c). symbol_find.c has the look-ups.
 */
#include "debuginfo/symbols/symbols.h"

#include "base/shortage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf_inlines.h"
#include "debuginfo/symbols/symbol_cache.h"
#include "debuginfo/symbols/symbol_code.h"
#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/x86/hook_calls.h"
#include "debuginfo/symbols/symbol_files.h"
#include "debuginfo/symbols/symbol_frames.h"
#include "debuginfo/symbols/symbol_inventory.h"
#include "debuginfo/symbols/symbol_lines.h"
#include "debuginfo/symbols/symbol_trial.h"

/* Is it code without a file, which the kernel maps into every process? */
static bool has_no_file(const char *path)
{
    return path[0] == 0 || path[0] == '[' || strncmp(path, "linux-vdso", 10) == 0 ||
           strncmp(path, "linux-gate", 10) == 0;
}

/* Reads what symbol_lines_find_own() may read. */
static void try_inlines(const struct dwarf_search *search, const struct dwarf_functions *functions)
{
    Dwarf_Debug debug = dwarf_file_debug(search->file);
    struct dwarf_headers headers = {0};
    struct text_pool pool = {0};
    for (size_t i = 0; debug != NULL && i < functions->units_count; i++) {
        struct dwarf_inlines inlines = {0};
        dwarf_inlines_read(&inlines, &headers, debug, functions->units[i].die, &pool, NULL);
        dwarf_inlines_release(&inlines);
    }
}

static void try_all(void *context)
{
    const struct dwarf_search *search = context;
    struct dwarf_functions functions;
    int result = dwarf_functions_open(&functions, search, NULL);
    if (result == 0)
        result = dwarf_functions_read(&functions, search, false, NULL);
    for (size_t i = 0; i < functions.units_count; i++)
        functions.units[i].nested = true;
    if (result == 0)
        result = dwarf_functions_read(&functions, search, true, NULL);
    if (result != 0)
        shortage_note(ENOMEM); /* readers skip damage */
    try_inlines(search, &functions);
}

/* Reads a module whose files are open. Takes files->debug over. */
static int read_module(struct symbols *symbols, struct symbol_files *files,
                       const struct hook_calls *hooks, const struct symbol_frames *frames,
                       const char *path, const struct symbols_options *options, struct error *error)
{
    struct dwarf_functions dwarf = {0};
    struct dwarf_search search = {.file = files->debug,
                                  .module = &files->module,
                                  .path = files->debug_path,
                                  .symbols_dir = options->symbols_dir,
                                  .threads = options->threads,
                                  .copies = !symbols->instrumented};
    const struct dwarf_file *debug = files->debug;
    int result = 0;
    if (files->debug != NULL && !symbol_trial(files->debug, try_all, &search)) {
        symbols->problem = "damaged debug information";
        dwarf_file_close(files->debug);
        free(files->debug);
        files->debug = NULL;
    }
    if (files->debug != NULL) {
        result = dwarf_functions_open(&dwarf, &search, error);
        if (result == 0)
            result = dwarf_functions_read(&dwarf, &search, false, error);
        elf_file_rest(&files->debug->elf);
        if (result == 0)
            result = symbol_lines_open(&symbols->lines, files->debug, files->path, dwarf.units,
                                       dwarf.units_count, dwarf.ranges, dwarf.ranges_count, error);
    }
    if (result == 0)
        result = symbol_inventory_make(symbols, files, hooks, files->debug != NULL ? &dwarf : NULL,
                                       &search, frames, path, error);
    if (result == 0 && files->code)
        result = symbol_code_count_targets(symbols, &files->module,
                                           files->debug != NULL ? &files->debug->elf : NULL,
                                           options->as_is && !symbols->instrumented, error);
    if (symbols->lines != NULL)
        files->debug = NULL;
    unsigned missing_dwo = dwarf.missing_dwo;
    dwarf_functions_release(&dwarf);
    if (result == 0 && missing_dwo == 0 && symbols->problem == NULL && shortage_noted() == 0)
        symbol_cache_write(symbols, files, debug, options);
    if (missing_dwo > 0 && symbols->problem == NULL)
        symbols->problem = "files of split debug information (.dwo) are missing";
    return result;
}

static const char *problem_of(const struct symbols *symbols)
{
    if (strcmp(symbols->source, "none") == 0)
        return "no symbols";
    return strcmp(symbols->source, "symtab") == 0 ? "no debug information" : NULL;
}

/* Reads a module that is open, with what its files leave packed and others keep. */
static int read_wanted(struct symbols *symbols, struct symbol_files *files,
                       const struct hook_calls *hooks, const char *path, const char *build_id,
                       const struct symbols_options *options, struct error *error)
{
    struct symbol_frames frames = {0};
    const struct symbol_frames *known = options->as_is && files->code ? &frames : NULL;
    int result = 0;
    if (!options->names_only) {
        result = symbol_files_unpack(files, path, build_id, options, &symbols->problem, error);
        if (result == 0)
            result = symbol_files_ask(files, path, options, error);
    }
    if (result == 0 && !options->names_only)
        result = symbol_cache_read(symbols, files, path, options, error);
    if (result == 0 && known != NULL)
        result = symbol_frames_read(&frames, &files->module, files->debug, error);
    if (result == 0)
        result = options->names_only
                     ? symbol_inventory_make(symbols, files, hooks, NULL, NULL, known, path, error)
                     : read_module(symbols, files, hooks, known, path, options, error);
    else if (result > 0)
        result = 0; /* the cache had it */
    symbol_frames_release(&frames);
    if (symbols->problem == NULL && !options->names_only)
        symbols->problem = problem_of(symbols);
    return result;
}

static int keep_path(struct symbols *symbols, const char *path, struct error *error)
{
    symbols->module_file = text_pool_add(&symbols->texts, path, strlen(path), error);
    return symbols->module_file != NULL ? 0 : -1;
}

int symbols_open(struct symbols *symbols, const char *path, const char *build_id,
                 const struct symbols_options *options, struct error *error)
{
    struct symbol_files files;
    struct hook_calls hooks = {0};
    *symbols = (struct symbols){.source = "none"};
    if (has_no_file(path))
        return 0;
    struct symbols_options names = *options; /* we see below whether to read more */
    names.names_only = true;
    if (build_id == NULL)
        build_id = "";
    int result = symbol_files_find(&files, path, build_id, &names, &symbols->problem, error);
    if (result == 0 && files.module_open)
        result = hook_calls_open(&hooks, HOOK_ENTER_NAME, &files.module,
                                 files.debug != NULL ? &files.debug->elf : NULL, error);
    if (result == 0 && files.module_open) {
        /* The C library holds hooks that nobody calls. */
        symbols->instrumented = files.code ? hook_calls_made(&hooks) : hook_calls_any(&hooks);
        if (symbols->instrumented || options->all_modules || options->as_is || !files.code)
            result = read_wanted(symbols, &files, &hooks, path, build_id, options, error);
    }
    hook_calls_close(&hooks);
    if (result == 0 && files.module_open && files.code && options->as_is)
        result = keep_path(symbols, files.path, error);
    if (result == 0 && files.module_open && files.code && !options->names_only)
        result = symbol_code_open(&symbols->code, &files.module, error);
    symbol_files_close(&files);
    return result;
}

void symbols_release(struct symbols *symbols)
{
    symbol_lines_close(symbols->lines);
    symbol_code_close(symbols->code);
    free(symbols->functions);
    free(symbols->ranges);
    free(symbols->cached_texts);
    text_pool_release(&symbols->texts);
    *symbols = (struct symbols){.source = "none"};
}
