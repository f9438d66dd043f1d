/* Names in a running process: see live_names.h. */
#include "live/live_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/parts.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/names/short_name.h"
#include "debuginfo/patch/patch_symbols.h"
#include "debuginfo/symbols/data_places.h"

#define MAPS_BUFFER 65536u /* a page at a time, as the kernel gives them */

struct live_module {
    uint64_t start, end, offset; /* the code in memory; its offset in the file */
    char *path;
    bool deleted; /* the file is gone */
    struct module_file {
        bool placed, read, as_is; /* by place_module(), read_symbols(), read_as_is() */
        uint64_t bias;
        uint64_t first, last; /* its segments, in memory; last is behind; both 0 = not known */
        char build_id[2 * ELF_BUILD_ID_MAX + 1];
        struct symbols symbols;
        char **short_names; /* by the function's index, made on demand; NULL = none yet */
        struct data_symbols *variables; /* made on demand, too */
    } file;
};

/* What lay at an address when it was asked for: many threads wait for one lock. */
struct known_variable {
    uint64_t address;
    char *name; /* NULL = none */
};

struct live_names {
    uint32_t pid;
    struct symbols_options options;
    struct live_module *modules; /* by start */
    size_t count, capacity;
    struct known_variable *variables;
    size_t variables_count, variables_capacity;
    struct live_points *points; /* borrowed; NULL = scopes have no names */
    uint64_t process_key;
};

static void file_release(struct module_file *file)
{
    for (size_t i = 0; file->short_names != NULL && i < file->symbols.functions_count; i++)
        free(file->short_names[i]);
    free(file->short_names);
    if (file->read)
        symbols_release(&file->symbols);
    if (file->variables != NULL)
        data_symbols_close(file->variables);
    free(file->variables);
}

static void modules_release(struct live_module *modules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(modules[i].path);
        file_release(&modules[i].file);
    }
    free(modules);
}

/* Reads a line of the maps. False if it is no code of a file. */
static bool line_read(char *line, struct live_module *module)
{
    static const char deleted[] = " (deleted)";
    char rights[8];
    int at = 0;
    *module = (struct live_module){0};
    const char *space = strchr(line, ' '); /* rights follow: few lines of many are code */
    if (space == NULL || strlen(space) < 5 || space[3] != 'x')
        return false;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &module->start,
               &module->end, rights, &module->offset, &at) != 4 ||
        rights[2] != 'x' || line[at] != '/')
        return false;
    line[strcspn(line, "\n")] = 0;
    char *path = line + at;
    if (has_ending(path, deleted)) {
        path[strlen(path) - strlen(deleted)] = 0;
        module->deleted = true;
    }
    module->path = strdup(path);
    return module->path != NULL;
}

int live_names_refresh(struct live_names *names, struct error *error)
{
    char path[64], *line = NULL;
    size_t room = 0;
    struct live_module *before = names->modules;
    size_t before_count = names->count;
    snprintf(path, sizeof path, "/proc/%u/maps", names->pid);
    FILE *maps = fopen(path, "re");
    if (maps == NULL)
        return error_set_file(error, ERROR_SYSTEM, path, "%s", strerror(errno));
    setvbuf(maps, NULL, _IOFBF, MAPS_BUFFER);
    names->modules = NULL;
    names->count = names->capacity = 0;
    int result = 0;
    while (result == 0 && getline(&line, &room, maps) > 0) {
        struct live_module module;
        if (!line_read(line, &module))
            continue;
        result = array_reserve(&names->modules, &names->capacity, names->count + 1, error);
        if (result != 0) {
            free(module.path);
            break;
        }
        /* Keeps what we have read of it. */
        for (size_t i = 0; i < before_count; i++)
            if (before[i].file.placed && before[i].start == module.start &&
                before[i].offset == module.offset && strcmp(before[i].path, module.path) == 0) {
                module.file = before[i].file;
                before[i].file = (struct module_file){.placed = false};
            }
        names->modules[names->count++] = module;
    }
    free(line);
    fclose(maps);
    modules_release(before, before_count);
    return result;
}

int live_names_open(struct live_names **names, uint32_t pid, const struct symbols_options *options,
                    struct error *error)
{
    *names = calloc(1, sizeof **names);
    if (*names == NULL)
        return error_set(error, "out of memory");
    (*names)->pid = pid;
    (*names)->options = *options;
    if (live_names_refresh(*names, error) == 0)
        return 0;
    live_names_close(*names);
    *names = NULL;
    return -1;
}

void live_names_use_points(struct live_names *names, struct live_points *points,
                           uint64_t process_key)
{
    names->points = points;
    names->process_key = process_key;
}

void live_names_close(struct live_names *names)
{
    if (names == NULL)
        return;
    modules_release(names->modules, names->count);
    for (size_t i = 0; i < names->variables_count; i++)
        free(names->variables[i].name);
    free(names->variables);
    free(names);
}

/* A path at which we can read the module: ours, or that of the process. */
static void file_path(const struct live_names *names, const struct live_module *module, char *path,
                      size_t size)
{
    char exe[64], target[4096];
    snprintf(path, size, "%s", module->path);
    if (!module->deleted && access(path, R_OK) == 0)
        return;
    snprintf(exe, sizeof exe, "/proc/%u/exe", names->pid);
    ssize_t length = readlink(exe, target, sizeof target - 1);
    if (length > 0) {
        size_t known = strlen(module->path);
        if ((size_t)length >= known && memcmp(target, module->path, known) == 0 &&
            (target[known] == ' ' || (size_t)length == known)) {
            snprintf(path, size, "%s", exe); /* the file itself, deleted or not */
            return;
        }
    }
    if (module->deleted)
        path[0] = 0; /* another file may have the name */
    else
        snprintf(path, size, "/proc/%u/root%s", names->pid, module->path);
}

/* It has hooks that do nothing and that none of its code calls: finding that out takes longer than
 * all else. */
static bool is_libc(const char *path)
{
    return starts_with(last_part(path), "libc.so.");
}

/* Finds out where its segments lie. */
static void place_module(const struct live_names *names, struct live_module *module)
{
    char path[4224];
    struct elf_file file;
    bool found = false;
    module->file.placed = true;
    module->file.bias = module->start - module->offset;
    file_path(names, module, path, sizeof path);
    if (elf_file_open(&file, path) != NULL) {
        elf_file_close(&file);
        return;
    }
    for (uint16_t i = 0; i < file.segments_count && !found; i++) {
        Elf64_Phdr segment = elf_file_segment(&file, i);
        found = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 &&
                segment.p_offset <= module->offset + (module->end - module->start) &&
                segment.p_offset + segment.p_filesz > module->offset;
        if (found)
            module->file.bias = module->start - module->offset + segment.p_offset - segment.p_vaddr;
    }
    for (uint16_t i = 0; i < file.segments_count && found; i++) {
        Elf64_Phdr segment = elf_file_segment(&file, i);
        uint64_t first = module->file.bias + segment.p_vaddr, last = first + segment.p_memsz;
        if (segment.p_type != PT_LOAD || last < first)
            continue;
        if (module->file.last == 0 || first < module->file.first)
            module->file.first = first;
        if (last > module->file.last)
            module->file.last = last;
    }
    snprintf(module->file.build_id, sizeof module->file.build_id, "%s", file.build_id);
    elf_file_close(&file);
}

static const char *build_id_of(const struct live_module *module)
{
    return module->file.build_id[0] != 0 ? module->file.build_id : NULL;
}

static void read_symbols(const struct live_names *names, struct live_module *module)
{
    char path[4224];
    struct error error;
    module->file.read = true;
    file_path(names, module, path, sizeof path);
    if (!is_libc(module->path)) /* without memory it has no names */
        symbols_open(&module->file.symbols, path, build_id_of(module), &names->options, &error);
}

/* The module of an address, with its symbols; NULL = none. */
static struct live_module *module_at(struct live_names *names, uint64_t address)
{
    for (size_t i = 0; i < names->count; i++) {
        struct live_module *module = &names->modules[i];
        if (address < module->start || address >= module->end)
            continue;
        if (!module->file.placed)
            place_module(names, module);
        if (!module->file.read)
            read_symbols(names, module);
        return module;
    }
    return NULL;
}

/* Makes it at the first question. Without memory it is the whole name. */
static const char *short_name_of(struct live_module *module, uint32_t index)
{
    const struct symbol_function *function = &module->file.symbols.functions[index];
    const char *linkage = function->linkage_name != NULL ? function->linkage_name : function->name;
    if (!short_name_applies(linkage))
        return function->name;
    if (module->file.short_names == NULL)
        module->file.short_names = calloc(module->file.symbols.functions_count, sizeof(char *));
    if (module->file.short_names == NULL)
        return function->name;
    if (module->file.short_names[index] == NULL)
        module->file.short_names[index] = short_name(function->name, false);
    return module->file.short_names[index] != NULL ? module->file.short_names[index]
                                                   : function->name;
}

/* The function whose code holds the address. */
static struct live_module *place_at(struct live_names *names, uint64_t address,
                                    struct live_place *place,
                                    const struct symbol_function **function)
{
    struct live_module *module = module_at(names, address);
    *place = (struct live_place){.offset = address};
    *function = NULL;
    if (module == NULL)
        return NULL;
    place->module = module->path;
    place->offset = address - module->file.bias;
    const struct symbol_range *range = symbols_range(&module->file.symbols, place->offset);
    if (range == NULL)
        return module;
    *function = &module->file.symbols.functions[range->function];
    place->name = (*function)->name;
    place->linkage_name = (*function)->linkage_name;
    place->short_name = short_name_of(module, range->function);
    return module;
}

/* The place of a scope is its macro's. False if we know nothing of it. */
static bool scope_place(const struct live_names *names, uint64_t address, struct live_place *place)
{
    struct live_point found;
    if (names->points == NULL || !fisql_is_point(address) ||
        !live_points_find(names->points, names->process_key, address, &found) ||
        found.point->function[0] == 0)
        return false;
    *place = (struct live_place){.name = found.point->function,
                                 .short_name = found.short_name,
                                 .file = found.point->file[0] != 0 ? found.point->file : NULL,
                                 .line = found.point->line,
                                 .offset = address};
    return true;
}

/* A function of a module without hooks was recorded: the module was patched (docs/any.md). */
static void read_as_is(const struct live_names *names, struct live_module *module)
{
    char path[4224];
    struct error error;
    struct symbols_options options = names->options;
    options.as_is = true;
    module->file.as_is = true;
    file_path(names, module, path, sizeof path);
    symbols_release(&module->file.symbols);
    if (patch_symbols_open(&module->file.symbols, path, build_id_of(module), &options, &error) != 0)
        symbols_release(&module->file.symbols); /* without memory it has no names */
}

void live_names_function(struct live_names *names, uint64_t address, struct live_place *place)
{
    const struct symbol_function *function;
    if (scope_place(names, address, place))
        return;
    struct live_module *module = place_at(names, address, place, &function);
    if (module != NULL && module->file.symbols.functions_count == 0 && !module->file.as_is) {
        read_as_is(names, module);
        module = place_at(names, address, place, &function);
    }
    if (module == NULL || function == NULL)
        return;
    place->file = function->file;
    place->line = function->line;
}

void live_names_site(struct live_names *names, uint64_t address, struct live_place *place)
{
    const struct symbol_function *function;
    struct live_module *module = place_at(names, address - 1, place, &function);
    if (module == NULL)
        return;
    symbols_own_line(&module->file.symbols, place->offset, &place->file, &place->line);
    place->offset++;
}

/* The variable at an address of the module; NULL = none. */
static char *variable_at(const struct live_names *names, struct live_module *module,
                         uint64_t address)
{
    char path[4224];
    struct error error;
    struct module_file *file = &module->file;
    file_path(names, module, path, sizeof path);
    if (file->variables == NULL) {
        file->variables = calloc(1, sizeof *file->variables);
        if (file->variables == NULL)
            return NULL;
        data_symbols_open(file->variables, path, build_id_of(module), &names->options, &error);
    }
    struct data_place place = {.variable =
                                   data_symbols_find(file->variables, address - file->bias)};
    if (place.variable == NULL || place.variable->is_function)
        return NULL;
    place.offset = address - file->bias - place.variable->address;
    char *name =
        data_places_find(&place, 1, path, build_id_of(module), &names->options, &error) == 0
            ? data_place_name(&place)
            : NULL;
    free(place.path);
    return name;
}

static char *look_variable_up(struct live_names *names, uint64_t address)
{
    for (size_t i = 0; i < names->count; i++) {
        struct live_module *module = &names->modules[i];
        if (!module->file.placed)
            place_module(names, module);
        if (address >= module->file.first && address < module->file.last)
            return variable_at(names, module, address);
    }
    return NULL;
}

const char *live_names_variable(struct live_names *names, uint64_t address)
{
    struct error error;
    for (size_t i = 0; i < names->variables_count; i++)
        if (names->variables[i].address == address)
            return names->variables[i].name;
    if (array_reserve(&names->variables, &names->variables_capacity, names->variables_count + 1,
                      &error) != 0)
        return NULL;
    struct known_variable *known = &names->variables[names->variables_count++];
    *known = (struct known_variable){address, look_variable_up(names, address)};
    return known->name;
}
