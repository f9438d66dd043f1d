/*
 * Symbols of a module: see symbols.h. DWARF gives functions with files and lines; the ELF symbol
 * table gives those that DWARF does not describe (units without debug information). Copies that the
 * compiler makes of a function (clones such as foo.constprop.0, cold parts) are one function here:
 * in DWARF they share an abstract entry, in the symbol table the name before the suffix.
 *
 * Names are demangled by the compiler's own demangler (__cxa_demangle of libstdc++), looked up at
 * run time: without the library C++ names stay as the linker knows them.
 */
#include "loader/symbols.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/array.h"
#include "loader/elf_module.h"
#include "loader/intern.h"
#include "loader/symbols_dwarf.h"

#define NAME_BYTES_MAX 4096 /* longer names are cut */

/* ---- names ---- */

static char *(*demangler)(const char *, char *, size_t *, int *);
static pthread_once_t demangler_once = PTHREAD_ONCE_INIT;

static void demangler_find(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *found = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&demangler, &found, sizeof found);
}

static char *demangled(const char *name)
{
    char *text = NULL;
    int status = 0;
    pthread_once(&demangler_once, demangler_find);
    if (name[0] == '_' && name[1] == 'Z' && strlen(name) < NAME_BYTES_MAX && demangler != NULL)
        text = demangler(name, NULL, NULL, &status);
    return text != NULL ? text : strndup(name, NAME_BYTES_MAX);
}

/* Length of a name without the suffixes of clones. */
static size_t base_length(const char *name)
{
    static const char *const suffixes[] = {".constprop.", ".isra.", ".part.",     ".cold",
                                           ".lto_priv.",  ".llvm.", ".localalias"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const char *at = strstr(name, suffixes[i]);
        if (at != NULL && at != name && (size_t)(at - name) < length)
            length = (size_t)(at - name);
    }
    return length;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    /* FNV-1a, 64 bits, with the terminating NUL. */
    do
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    while (*text++ != 0);
    return hash;
}

/* The last two parts of a path: what stays the same when the tree is built elsewhere. */
static const char *path_tail(const char *path)
{
    const char *last = strrchr(path, '/');
    if (last == NULL)
        return path;
    while (last > path && last[-1] != '/')
        last--;
    return last;
}

/* ---- reading ---- */

struct reader {
    struct symbols *symbols;
    const struct elf_module *elf;
    const char *module_name;
    struct intern by_origin;  /* DWARF origin -> index of functions */
    struct intern by_address; /* start of a piece -> index of function_at */
    uint32_t *function_at;    /* index of functions */
    size_t function_at_capacity;
    struct error *error;
};

static int add_range(struct symbols *symbols, uint64_t start, uint64_t end, uint32_t function,
                     uint32_t unit, struct error *error)
{
    if (array_reserve(&symbols->ranges, &symbols->ranges_capacity, symbols->ranges_count + 1,
                      error))
        return -1;
    symbols->ranges[symbols->ranges_count++] = (struct symbol_range){start, end, function, unit};
    return 0;
}

static int add_function(struct reader *reader, const char *linkage_name, const char *plain_name,
                        const char *file, uint32_t line, uint64_t start, uint64_t end,
                        uint32_t *index)
{
    struct symbols *symbols = reader->symbols;
    if (array_reserve(&symbols->functions, &symbols->functions_capacity,
                      symbols->functions_count + 1, reader->error))
        return -1;
    struct symbol_function *function = &symbols->functions[symbols->functions_count];
    const char *linked = linkage_name != NULL ? linkage_name : plain_name;
    *function = (struct symbol_function){.address = start, .size = end - start, .line = line};
    function->name = demangled(linked);
    function->file = file != NULL ? strdup(file) : NULL;
    if (function->name != NULL && strcmp(function->name, linked) != 0)
        function->linkage_name = strdup(linked);
    if (function->name == NULL)
        return error_set(reader->error, "out of memory");
    uint64_t hash = hash_text(0xcbf29ce484222325u, reader->module_name);
    hash = hash_text(hash, linked);
    function->stable_id = hash_text(hash, file != NULL ? path_tail(file) : "");
    *index = (uint32_t)symbols->functions_count++;
    return 0;
}

static int visit_piece(void *context, const struct dwarf_piece *piece, struct error *error)
{
    struct reader *reader = context;
    struct symbols *symbols = reader->symbols;
    uint32_t known, index;
    if (piece->name == NULL && piece->linkage_name == NULL)
        return 0;
    uint32_t before = reader->by_origin.count;
    if (intern_add(&reader->by_origin, piece->origin, 0, &known, error) != 0)
        return -1;
    if (known == before) {
        /* Indexes run alike: each origin makes one function, before the symbol table adds more. */
        if (add_function(reader, piece->linkage_name, piece->name, piece->file, piece->line,
                         piece->start, piece->end, &index) != 0)
            return -1;
    } else {
        index = known;
    }
    struct symbol_function *function = &symbols->functions[index];
    if (elf_module_calls_hook(reader->elf, piece->start, piece->end)) {
        if (!function->instrumented) {
            function->address = piece->start;
            function->size = piece->end - piece->start;
        }
        function->instrumented = true;
    }
    uint32_t address;
    if (intern_add(&reader->by_address, piece->start, 0, &address, error) != 0 ||
        array_reserve(&reader->function_at, &reader->function_at_capacity, (size_t)address + 1,
                      error) != 0)
        return -1;
    reader->function_at[address] = index;
    return add_range(symbols, piece->start, piece->end, index, piece->unit, error);
}

struct named {
    char *name;
    uint64_t address, size;
    bool global;
};

struct named_list {
    struct named *items;
    size_t count, capacity;
    struct reader *reader;
};

/* DWARF gives no linkage name to C++ functions of internal linkage: the symbol's name has the
 * namespace that the plain name lacks. */
static int name_better(struct reader *reader, const char *name, uint64_t address)
{
    if (name[0] != '_' || name[1] != 'Z')
        return 0;
    uint32_t at = intern_find(&reader->by_address, address, 0);
    struct symbol_function *function = &reader->symbols->functions[reader->function_at[at]];
    if (function->linkage_name != NULL || name[base_length(name)] != 0)
        return 0;
    char *text = demangled(name), *linked = strndup(name, NAME_BYTES_MAX);
    if (text == NULL || linked == NULL) {
        free(text);
        free(linked);
        return error_set(reader->error, "out of memory");
    }
    free(function->name);
    function->name = text;
    function->linkage_name = linked;
    return 0;
}

static int collect_symbol(void *context, const char *name, uint64_t address, uint64_t size,
                          bool global)
{
    struct named_list *list = context;
    if (address == 0)
        return 0;
    if (intern_find(&list->reader->by_address, address, 0) != INTERN_NONE)
        return name_better(list->reader, name, address);
    if (array_reserve(&list->items, &list->capacity, list->count + 1, list->reader->error))
        return -1;
    char *copy = strndup(name, NAME_BYTES_MAX);
    if (copy == NULL)
        return error_set(list->reader->error, "out of memory");
    list->items[list->count++] = (struct named){copy, address, size, global};
    return 0;
}

static int by_place(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->global != b->global)
        return a->global ? -1 : 1; /* of several names the global one is the function's */
    return strcmp(a->name, b->name);
}

/* The function of this name without a clone's suffix, the last one before `count`; or none. */
static uint32_t find_base(const struct symbols *symbols, const char *name, size_t length)
{
    for (size_t i = symbols->functions_count; i-- > 0;) {
        const struct symbol_function *function = &symbols->functions[i];
        const char *linked =
            function->linkage_name != NULL ? function->linkage_name : function->name;
        if (strncmp(linked, name, length) == 0 && linked[length] == 0)
            return (uint32_t)i;
    }
    return UINT32_MAX;
}

static int add_symbols(struct reader *reader)
{
    struct named_list list = {.reader = reader};
    int result = elf_module_symbols(reader->elf, collect_symbol, &list);
    if (list.count > 0)
        qsort(list.items, list.count, sizeof *list.items, by_place);
    /* Functions first, then clones, so that a clone finds the function it was made of. */
    for (int clones = 0; clones <= 1 && result == 0; clones++) {
        for (size_t i = 0; i < list.count && result == 0; i++) {
            struct named *named = &list.items[i];
            size_t length = base_length(named->name);
            bool is_clone = named->name[length] != 0;
            if (is_clone != (clones == 1) || (i > 0 && list.items[i - 1].address == named->address))
                continue;
            uint64_t end = named->address + named->size; /* without a size it has no code to show */
            uint32_t index =
                is_clone ? find_base(reader->symbols, named->name, length) : UINT32_MAX;
            named->name[length] = 0;
            if (index == UINT32_MAX)
                result =
                    add_function(reader, named->name, NULL, NULL, 0, named->address, end, &index);
            if (result != 0)
                break;
            if (elf_module_calls_hook(reader->elf, named->address, end))
                reader->symbols->functions[index].instrumented = true;
            result =
                add_range(reader->symbols, named->address, end, index, UINT32_MAX, reader->error);
        }
    }
    for (size_t i = 0; i < list.count; i++)
        free(list.items[i].name);
    free(list.items);
    return result;
}

static int by_start(const void *left, const void *right)
{
    const struct symbol_range *a = left, *b = right;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : 0;
}

/* The file with the debug information: the module itself, or a separate one found by build-id. */
static struct symbols_dwarf *find_dwarf(const struct elf_module *elf, const char *path,
                                        const char *symbols_dir)
{
    const char *id = elf->build_id;
    char candidate[PATH_MAX];
    if (id[0] != 0) {
        const char *const roots[] = {symbols_dir, "/usr/lib/debug"};
        for (size_t i = 0; i < 2; i++) {
            if (roots[i] == NULL)
                continue;
            snprintf(candidate, sizeof candidate, "%s/.build-id/%.2s/%s.debug", roots[i], id,
                     id + 2);
            struct symbols_dwarf *dwarf = dwarf_open(candidate);
            if (dwarf != NULL)
                return dwarf;
        }
    }
    return dwarf_open(path);
}

static int read_module(struct symbols *symbols, const struct elf_module *elf, const char *path,
                       const char *symbols_dir, struct error *error)
{
    const char *slash = strrchr(path, '/');
    struct reader reader = {.symbols = symbols,
                            .elf = elf,
                            .module_name = slash != NULL ? slash + 1 : path,
                            .error = error};
    int result = 0;
    symbols->dwarf = find_dwarf(elf, path, symbols_dir);
    if (symbols->dwarf != NULL)
        result = dwarf_functions(symbols->dwarf, visit_piece, &reader, error);
    if (symbols->functions_count > 0)
        symbols->source = "dwarf";
    if (result == 0)
        result = add_symbols(&reader);
    if (symbols->functions_count > 0 && strcmp(symbols->source, "none") == 0)
        symbols->source = "symtab";
    if (symbols->ranges_count > 0)
        qsort(symbols->ranges, symbols->ranges_count, sizeof *symbols->ranges, by_start);
    intern_release(&reader.by_origin);
    intern_release(&reader.by_address);
    free(reader.function_at);
    return result;
}

int symbols_read(struct symbols *symbols, const char *path, const char *build_id,
                 const char *sysroot, const char *symbols_dir, struct error *error)
{
    struct elf_module elf;
    char full[PATH_MAX];
    *symbols = (struct symbols){.source = "none"};
    snprintf(full, sizeof full, "%s%s", sysroot != NULL ? sysroot : "", path);
    const char *problem = elf_module_open(&elf, full);
    if (problem == NULL && build_id != NULL && strcmp(build_id, elf.build_id) != 0)
        problem = "build-id differs: the file has changed since the recording";
    int result = 0;
    if (problem == NULL) {
        symbols->instrumented = elf_module_instrumented(&elf);
        if (symbols->instrumented)
            result = read_module(symbols, &elf, full, symbols_dir, error);
        if (symbols->instrumented && strcmp(symbols->source, "dwarf") != 0)
            problem = strcmp(symbols->source, "none") == 0 ? "no symbols" : "no debug information";
    }
    if (problem != NULL)
        symbols->problem = strdup(problem);
    elf_module_close(&elf);
    return result;
}

void symbols_release(struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->functions_count; i++) {
        free(symbols->functions[i].name);
        free(symbols->functions[i].linkage_name);
        free(symbols->functions[i].file);
    }
    free(symbols->functions);
    free(symbols->ranges);
    free(symbols->problem);
    dwarf_close(symbols->dwarf);
    *symbols = (struct symbols){.source = "none"};
}

const struct symbol_range *symbols_range(const struct symbols *symbols, uint64_t address)
{
    size_t low = 0, high = symbols->ranges_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct symbol_range *range = low > 0 ? &symbols->ranges[low - 1] : NULL;
    return range != NULL && address < range->end ? range : NULL;
}

void symbols_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line)
{
    const struct symbol_range *range = symbols_range(symbols, address);
    *file = NULL;
    *line = 0;
    if (range != NULL && range->unit != UINT32_MAX && symbols->dwarf != NULL)
        dwarf_line(symbols->dwarf, range->unit, address, file, line);
}
