/* Modules and symbols of a folder of uftrace: see uftrace.h. */
#include "loader/foreign/uftrace.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parts.h"
#include "base/sorted.h"
#include "debuginfo/names/demangle.h"

/* ---- symbols ---- */

/* "00000000000011f9 T fib", of newer versions with a size before the type. False: no symbol of code. */
static bool read_symbol(char *line, struct uftrace_symbol *symbol)
{
    char *at;
    *symbol = (struct uftrace_symbol){.address = strtoull(line, &at, 16)};
    if (at == line || *at++ != ' ')
        return false;
    if (*at >= '0' && *at <= '9') {
        (void)strtoull(at, &at, 16);
        if (*at++ != ' ')
            return false;
    }
    symbol->type = *at++;
    if (symbol->type == 0 || *at++ != ' ' || *at == 0)
        return false;
    symbol->name = at;
    at[strcspn(at, "\t")] = 0;
    return true;
}

/* By address; of several names of one address the first of the file comes first, and ends of parts of
 * the module come last. */
static int by_address(const void *left, const void *right)
{
    const struct uftrace_symbol *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if ((a->type == '?') != (b->type == '?'))
        return a->type == '?' ? 1 : -1;
    return a->name < b->name ? -1 : a->name > b->name;
}

/* Keeps one name of each address, as uftrace does. */
static void sort_symbols(struct uftrace_module *module)
{
    size_t kept = 0;
    array_sort(module->symbols, module->symbols_count, by_address);
    for (size_t i = 0; i < module->symbols_count; i++)
        if (kept == 0 || module->symbols[kept - 1].address != module->symbols[i].address)
            module->symbols[kept++] = module->symbols[i];
    module->symbols_count = kept;
}

/* Is the file about this module? It says so in its first lines. */
static bool is_of(const char *text, const char *path)
{
    const char *key = strstr(text, "# path name: ");
    if (key == NULL)
        return true;
    key += strlen("# path name: ");
    size_t length = strcspn(key, "\n");
    return strlen(path) == length && strncmp(key, path, length) == 0;
}

/* The module's file with this ending: of modules of one name all but the first have some digits of
 * their build-id, too. */
static int read_module_file(const struct uftrace *uftrace, const char *path, const char *build_id,
                            const char *ending, char **text, struct error *error)
{
    char name[NAME_MAX + 1];
    *text = NULL;
    for (int with_id = 0; with_id < 2; with_id++) {
        int length = with_id == 0 ? snprintf(name, sizeof name, "%s%s", last_part(path), ending)
                                  : snprintf(name, sizeof name, "%s-%.4s%s", last_part(path),
                                             build_id, ending);
        if (length >= (int)sizeof name || uftrace_text(uftrace, name, text, error) != 0)
            return length >= (int)sizeof name ? 0 : -1;
        if (*text != NULL && is_of(*text, path))
            return 0;
        free(*text);
        *text = NULL;
    }
    return 0;
}

/* What debug information said of arguments: lines "F: ADDRESS NAME", then "A: @..." and "R: @...". */
static void read_debug(struct uftrace_module *module)
{
    char *at = module->dbg_text;
    struct uftrace_symbol *symbol = NULL;
    for (char *line; (line = uftrace_line(&at)) != NULL;) {
        if (strncmp(line, "F: ", 3) == 0) {
            uint64_t address = strtoull(line + 3, NULL, 16);
            size_t found = sorted_from(module->symbols, module->symbols_count, address, address);
            symbol = found < module->symbols_count && module->symbols[found].address == address
                         ? &module->symbols[found]
                         : NULL;
        } else if (symbol != NULL && strncmp(line, "A: @", 4) == 0) {
            symbol->args = line + 4;
        } else if (symbol != NULL && strncmp(line, "R: @", 4) == 0) {
            symbol->result = line + 4;
        }
    }
}

static int read_module(const struct uftrace *uftrace, struct uftrace_module *module,
                       const char *build_id, struct error *error)
{
    struct uftrace_symbol symbol;
    if (read_module_file(uftrace, module->path, build_id, ".sym", &module->sym_text, error) != 0 ||
        read_module_file(uftrace, module->path, build_id, ".dbg", &module->dbg_text, error) != 0)
        return -1;
    char *at = module->sym_text;
    for (char *line; (line = uftrace_line(&at)) != NULL;)
        if (line[0] != '#' && read_symbol(line, &symbol) &&
            array_add(&module->symbols, &module->symbols_count, &module->symbols_capacity, symbol,
                      error) != 0)
            return -1;
    sort_symbols(module);
    read_debug(module);
    return 0;
}

static int find_module(struct uftrace *uftrace, const char *path, const char *build_id,
                       uint32_t *module, struct error *error)
{
    for (size_t i = 0; i < uftrace->modules_count; i++)
        if (strcmp(uftrace->modules[i].path, path) == 0) {
            *module = (uint32_t)i;
            return 0;
        }
    if (uftrace->modules_count == UFTRACE_MODULES_MAX)
        return error_set_kind(error, ERROR_UNSUPPORTED, "has more than %u modules",
                              UFTRACE_MODULES_MAX);
    struct uftrace_module new = {.path = strdup(path)};
    if (new.path == NULL)
        return error_set(error, "out of memory");
    if (array_add(&uftrace->modules, &uftrace->modules_count, &uftrace->modules_capacity, new,
                  error) != 0) {
        free(new.path);
        return -1;
    }
    *module = (uint32_t)uftrace->modules_count - 1;
    return read_module(uftrace, &uftrace->modules[*module], build_id, error);
}

/* ---- maps ---- */

/* A line as in /proc/PID/maps; "build-id:..." may follow the path. */
static int take_map(struct uftrace *uftrace, struct uftrace_session *session, char *line,
                    struct error *error)
{
    struct uftrace_map map = {.start = 0};
    char *at;
    map.start = strtoull(line, &at, 16);
    if (*at != '-')
        return 0;
    map.end = strtoull(at + 1, &at, 16);
    char *path = strchr(at, '/');
    if (path == NULL || map.end <= map.start)
        return 0;
    char *id = strstr(path, " build-id:");
    if (id != NULL) {
        snprintf(map.build_id, sizeof map.build_id, "%s", id + strlen(" build-id:"));
        map.build_id[strspn(map.build_id, "0123456789abcdef")] = 0;
        *id = 0;
    }
    if (find_module(uftrace, path, map.build_id, &map.module, error) != 0)
        return -1;
    /* Older versions have a line for each part of a module. */
    struct uftrace_map *last =
        session->maps_count > 0 ? &session->maps[session->maps_count - 1] : NULL;
    if (last != NULL && last->module == map.module && map.start >= last->start) {
        last->end = map.end > last->end ? map.end : last->end;
        return 0;
    }
    return session->maps_count == UFTRACE_MODULES_MAX
               ? error_set_kind(error, ERROR_UNSUPPORTED, "has more than %u modules in a process",
                                UFTRACE_MODULES_MAX)
               : array_add(&session->maps, &session->maps_count, &session->maps_capacity, map,
                           error);
}

int uftrace_session_read(struct uftrace *uftrace, struct uftrace_session *session,
                         struct error *error)
{
    char name[64];
    snprintf(name, sizeof name, "sid-%s.map", session->id);
    if (uftrace_text(uftrace, name, &session->map_text, error) != 0)
        return -1;
    char *at = session->map_text;
    for (char *line; (line = uftrace_line(&at)) != NULL;)
        if (take_map(uftrace, session, line, error) != 0)
            return -1;
    return 0;
}

int uftrace_session_load(struct uftrace *uftrace, struct uftrace_session *session, uint64_t base,
                         const char *path, struct error *error)
{
    struct uftrace_map map = {.start = base};
    if (find_module(uftrace, path, "", &map.module, error) != 0)
        return -1;
    const struct uftrace_module *module = &uftrace->modules[map.module];
    map.end = base + 4096 +
              (module->symbols_count > 0 ? module->symbols[module->symbols_count - 1].address : 0);
    return map.end <= base ? 0
                           : array_add(&session->maps, &session->maps_count,
                                       &session->maps_capacity, map, error);
}

/* ---- functions ---- */

static struct uftrace_map *find_map(struct uftrace_session *session, uint64_t address)
{
    for (size_t i = session->maps_count; i-- > 0;)
        if (address >= session->maps[i].start && address < session->maps[i].end)
            return &session->maps[i];
    return NULL;
}

/* The symbol that an address of the module lies behind. */
static const struct uftrace_symbol *find_symbol(const struct uftrace_module *module,
                                                uint64_t address)
{
    size_t after = sorted_after(module->symbols, module->symbols_count, address, address);
    while (after > 0 && module->symbols[after - 1].type == '?')
        after--; /* the end of a part of the module */
    return after > 0 ? &module->symbols[after - 1] : NULL;
}

static int copy_args(struct uftrace_args **out, const struct uftrace_args *args,
                     struct error *error)
{
    if (args->count == 0)
        return 0;
    *out = malloc(sizeof **out);
    if (*out == NULL)
        return error_set(error, "out of memory");
    **out = *args;
    return 0;
}

/* Cuts a readable name before its parameters, as specs have it. */
static char *plain_name(const char *readable)
{
    return strndup(readable, strcspn(readable, "("));
}

/* Is it the function of a list of well-known ones? uftrace compares readable names without
 * parameters: _ZdlPv is any operator delete. */
static bool is_known(const struct uftrace_spec *known, const char *linkage, const char *plain)
{
    if (strcmp(known->name, linkage) == 0 || strcmp(known->name, plain) == 0)
        return true;
    char *readable = strncmp(known->name, "_Z", 2) == 0 ? demangle(known->name) : NULL;
    size_t length = strcspn(readable != NULL ? readable : "", "(");
    bool same =
        readable != NULL && strlen(plain) == length && strncmp(readable, plain, length) == 0;
    free(readable);
    return same;
}

/* A function's arguments or its result: by the user's specs, where the last one counts; else, with
 * --auto-args, by debug information or a list of well-known functions. */
static int find_args(const struct uftrace *uftrace, const struct uftrace_symbol *symbol,
                     const char *readable, bool result, struct uftrace_args **out,
                     struct error *error)
{
    const struct uftrace_specs *lists[] = {result ? &uftrace->info.results : &uftrace->info.args,
                                           result ? &uftrace->info.auto_results
                                                  : &uftrace->info.auto_arguments};
    struct uftrace_args args = {.count = 0};
    const struct uftrace_specs *own = lists[0];
    for (size_t i = 0; i < own->count; i++)
        if (uftrace_spec_fits(&own->items[i], symbol->name, readable, uftrace->info.glob))
            uftrace_args_read(&args, own->items[i].values, result, false);
    if (args.count > 0 || !uftrace->info.auto_args)
        return copy_args(out, &args, error);
    const char *declared = result ? symbol->result : symbol->args;
    if (declared != NULL)
        uftrace_args_read(&args, declared, result, true);
    const struct uftrace_specs *known = lists[1];
    for (size_t i = 0; args.count == 0 && declared == NULL && i < known->count; i++)
        if (is_known(&known->items[i], symbol->name, readable))
            uftrace_args_read(&args, known->items[i].values, result, false);
    return copy_args(out, &args, error);
}

static int make_function(struct uftrace *uftrace, const struct uftrace_symbol *symbol,
                         const struct log_writer_point *point, struct error *error)
{
    struct uftrace_function function = {.point = 0};
    char *plain = plain_name(point->name);
    if (plain == NULL)
        return error_set(error, "out of memory");
    int result = log_writer_point(uftrace->job->writer, point, &function.point, error);
    if (result == 0 && symbol != NULL)
        result = find_args(uftrace, symbol, plain, false, &function.args, error);
    if (result == 0 && symbol != NULL)
        result = find_args(uftrace, symbol, plain, true, &function.result, error);
    if (result == 0)
        result = array_add(&uftrace->functions, &uftrace->functions_count,
                           &uftrace->functions_capacity, function, error);
    free(plain);
    if (result == 0)
        return 0;
    free(function.args);
    free(function.result);
    return -1;
}

int uftrace_function_at(struct uftrace *uftrace, struct uftrace_session *session, uint64_t address,
                        uint32_t *function, struct error *error)
{
    uint32_t index;
    char unknown[NAME_MAX + 32];
    if (intern_add(&session->function_of, address, 0, &index, error) != 0)
        return -1;
    if (index < session->functions_count) {
        *function = session->functions[index];
        return 0;
    }
    struct uftrace_map *map = find_map(session, address);
    const struct uftrace_module *module = map != NULL ? &uftrace->modules[map->module] : NULL;
    const struct uftrace_symbol *symbol =
        module != NULL ? find_symbol(module, address - map->start) : NULL;
    bool library = symbol != NULL && symbol->type == 'P';
    struct log_writer_point point = {.kind = library ? FISQL_POINT_EXTERNAL : FISQL_POINT_NAMED,
                                     .name = unknown};
    char *readable = symbol != NULL ? demangle(symbol->name) : NULL;
    if (symbol != NULL)
        point.name = readable != NULL ? readable : symbol->name;
    else
        snprintf(unknown, sizeof unknown, "%s+0x%" PRIx64,
                 module != NULL ? last_part(module->path) : "unknown",
                 map != NULL ? address - map->start : address);
    if (symbol != NULL && !library)
        point.address = map->start + symbol->address;
    if (map != NULL && !library)
        map->used = true;
    *function = (uint32_t)uftrace->functions_count;
    int result = make_function(uftrace, symbol, &point, error);
    free(readable);
    return result != 0 ? -1
                       : array_add(&session->functions, &session->functions_count,
                                   &session->functions_capacity, *function, error);
}

int uftrace_write_modules(struct uftrace *uftrace, uint32_t image, struct error *error)
{
    struct log_writer *writer = uftrace->job->writer;
    const struct uftrace_session *session = &uftrace->sessions[uftrace->images[image].session];
    const struct log_place place = uftrace_place(uftrace, image);
    for (size_t i = 0; i < session->maps_count; i++) {
        const struct uftrace_map *map = &session->maps[i];
        if (!map->used)
            continue;
        log_facts_begin(writer, FISQL_CHUNK_MODULES, &place, 0);
        if (log_fact(writer, FISQL_FACT_MODULES_MODULE, uftrace->modules[map->module].path,
                     error) != 0 ||
            log_fact(writer, FISQL_FACT_MODULES_EVENT, FISQL_MODULE_LOAD, error) != 0 ||
            log_fact(writer, FISQL_FACT_MODULES_BUILD_ID, map->build_id, error) != 0 ||
            log_fact_address(writer, FISQL_FACT_MODULES_BIAS, map->start, error) != 0 ||
            log_fact_address(writer, FISQL_FACT_MODULES_START, map->start, error) != 0 ||
            log_fact_address(writer, FISQL_FACT_MODULES_END, map->end, error) != 0 ||
            log_facts_end(writer, error) != 0)
            return -1;
    }
    return 0;
}

void uftrace_symbols_release(struct uftrace *uftrace)
{
    for (size_t i = 0; i < uftrace->modules_count; i++) {
        free(uftrace->modules[i].path);
        free(uftrace->modules[i].sym_text);
        free(uftrace->modules[i].dbg_text);
        free(uftrace->modules[i].symbols);
    }
    for (size_t i = 0; i < uftrace->sessions_count; i++) {
        free(uftrace->sessions[i].map_text);
        free(uftrace->sessions[i].maps);
        free(uftrace->sessions[i].functions);
        intern_release(&uftrace->sessions[i].function_of);
    }
    for (size_t i = 0; i < uftrace->functions_count; i++) {
        free(uftrace->functions[i].args);
        free(uftrace->functions[i].result);
    }
    free(uftrace->modules);
    free(uftrace->sessions);
    free(uftrace->functions);
}
