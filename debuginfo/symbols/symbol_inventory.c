/*
 * The inventory of a module's functions: see symbol_inventory.h.
 *
 * 1. Pieces of code that DWARF describes become functions: all pieces of one origin are one
 * function. Its address is that of its main copy, whose symbol has no clone's suffix. If two units
 * describe the same code (a header's function, kept once by the linker), the first counts.
 * 2. Symbols whose code DWARF does not describe become functions of their own. A clone
 * (name.constprop.0) belongs to the function of its base name; among static functions of one name
 * to the one with the nearest symbol in the table, where symbols of an object file lie together.
 * 3. We look for calls of the hooks in each piece of code.
 * 4. Where wanted, functions that only unwind information knows are named by module and address.
 * 5. Copies of a header's static function in several units become one function.
 */
#include "debuginfo/symbols/symbol_inventory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debuginfo/names/demangle.h"
#include "base/intern.h"
#include "base/must.h"
#include "base/parts.h"
#include "base/sorted.h"
#include "debuginfo/dwarf/dwarf_functions.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/x86/hook_calls.h"
#include "debuginfo/symbols/mini_debug.h"
#include "debuginfo/symbols/symbol_copies.h"
#include "debuginfo/symbols/symbol_files.h"
#include "debuginfo/symbols/symbol_lines.h"
#include "debuginfo/symbols/symbols.h"

#define NOPS_MAX 32u                                         /* bytes */
static const unsigned char nop[] = {0x1f, 0x20, 0x03, 0xd5}; /* of aarch64 */

struct named {
    const char *name; /* borrowed from the file */
    uint64_t address, size;
    size_t base; /* length without a clone's suffix */
    uint32_t index;
    bool global, weak, clone;
};

struct builder {
    struct symbols *symbols;
    const struct symbol_files *files;
    const struct symbol_frames *frames; /* NULL = none */
    const char *module_path;
    struct named *names; /* by address, the best name first */
    size_t names_count, names_capacity;
    struct intern groups; /* (origin, variant) -> function */
    struct elf_file mini; /* its symbol table, where the module has none */
    unsigned char *ranks; /* of the main copies chosen so far */
    size_t ranks_capacity;
    struct error *error;
};

/* ---- the symbol table ---- */

static const char *keep(struct builder *builder, const char *text, size_t length)
{
    return text_pool_add(&builder->symbols->texts, text, length, builder->error);
}

static int collect(void *context, const struct elf_symbol *symbol)
{
    struct builder *builder = context;
    if (!elf_file_is_code(&builder->files->module, symbol->address))
        return 0;
    if (array_reserve(&builder->names, &builder->names_capacity, builder->names_count + 1,
                      builder->error) != 0)
        return -1;
    const char *name = symbol->name;
    const char *version = name[0] != 0 ? strchr(name + 1, '@') : NULL; /* fopen@@GLIBC_2.2.5 */
    if (version != NULL && (name = keep(builder, name, (size_t)(version - name))) == NULL)
        return -1;
    size_t base = demangle_base_length(name);
    builder->names[builder->names_count++] =
        (struct named){name,          symbol->address, symbol->size_bytes, base,
                       symbol->index, symbol->global,  symbol->weak,       name[base] != 0};
    return 0;
}

static int by_place(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->clone != b->clone)
        return a->clone ? 1 : -1;
    if (a->global != b->global)
        return a->global ? -1 : 1;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static int collect_names(struct builder *builder)
{
    const struct symbol_files *files = builder->files;
    if (elf_file_functions(&files->module, SHT_SYMTAB, collect, builder) != 0)
        return -1;
    if (builder->names_count == 0 && files->debug != NULL &&
        elf_file_functions(&files->debug->elf, SHT_SYMTAB, collect, builder) != 0)
        return -1;
    if (builder->names_count == 0 &&
        ((mini_debug_open(&builder->mini, &files->module) &&
          elf_file_functions(&builder->mini, SHT_SYMTAB, collect, builder) != 0) ||
         elf_file_functions(&files->module, SHT_DYNSYM, collect, builder) != 0))
        return -1;
    array_sort(builder->names, builder->names_count, by_place);
    return 0;
}

/* The best symbol at an address, or NULL. */
static const struct named *name_at(const struct builder *builder, uint64_t address)
{
    size_t at = sorted_from(builder->names, builder->names_count, address, address);
    return at < builder->names_count && builder->names[at].address == address ? &builder->names[at]
                                                                              : NULL;
}

/* ---- functions ---- */

/* Names a function: `linkage` is its linker name (NULL = none), `plain` its name in the source
 * (NULL = unknown). */
static int name_function(struct builder *builder, struct symbol_function *function,
                         const char *linkage, const char *plain)
{
    char *readable = linkage != NULL ? demangle(linkage) : NULL;
    const char *name = readable != NULL ? readable : plain != NULL ? plain : linkage;
    if (name == NULL)
        return error_set_kind(builder->error, ERROR_DAMAGE, "a function without a name");
    function->name = keep(builder, name, strlen(name));
    if (linkage != NULL && strcmp(linkage, name) != 0)
        function->linkage_name = keep(builder, linkage, strlen(linkage));
    bool done = function->name != NULL &&
                (linkage == NULL || strcmp(linkage, name) == 0 || function->linkage_name != NULL);
    free(readable);
    return done ? 0 : -1;
}

static int add_range(struct builder *builder, uint64_t start, uint64_t end, uint32_t function,
                     uint32_t unit)
{
    struct symbols *symbols = builder->symbols;
    return array_add(&symbols->ranges, &symbols->ranges_count, &symbols->ranges_capacity,
                     ((struct symbol_range){start, end, function, unit}), builder->error);
}

static int add_function(struct builder *builder, uint64_t address, uint64_t size, uint32_t *index)
{
    struct symbols *symbols = builder->symbols;
    if (symbols->functions_count >= SYMBOL_NONE)
        return error_set_kind(builder->error, ERROR_UNSUPPORTED,
                              "too many functions in one module");
    if (array_reserve(&symbols->functions, &symbols->functions_capacity,
                      symbols->functions_count + 1, builder->error) != 0 ||
        array_reserve(&builder->ranks, &builder->ranks_capacity, symbols->functions_count + 1,
                      builder->error) != 0)
        return -1;
    builder->ranks[symbols->functions_count] = 0;
    *index = (uint32_t)symbols->functions_count;
    symbols->functions[symbols->functions_count++] =
        (struct symbol_function){.address = address, .size = size, .call_targets = SYMBOL_NONE};
    return 0;
}

/* How good a main copy of its function a piece is. */
static unsigned char rank_of(const struct dwarf_piece *piece, const struct named *named)
{
    return (unsigned char)(1 + (piece->entry ? 1 : 0) +
                           (piece->entry && named != NULL && !named->clone ? 1 : 0));
}

static int add_piece(struct builder *builder, const struct dwarf_piece *piece)
{
    const struct named *named = name_at(builder, piece->start);
    const char *linkage = piece->linkage_name;
    char base[DEMANGLE_NAME_MAX];
    uint32_t index, before = builder->groups.count;
    /* gcc gives no linkage name to static functions, nor to nested ones of D; the symbol table may
     * have it. */
    if (linkage == NULL && named != NULL && named->base < sizeof base && named->name[0] == '_' &&
        (named->name[1] == 'Z' || named->name[1] == 'R' || named->name[1] == 'D')) {
        memcpy(base, named->name, named->base);
        base[named->base] = 0;
        linkage = base;
    }
    char variant = linkage != NULL ? demangle_variant(linkage) : 0;
    if (intern_add(&builder->groups, piece->origin, (uint64_t)(unsigned char)variant, &index,
                   builder->error) != 0)
        return -1;
    /* Groups have the numbers of their functions: those of the symbol table come later. */
    if (index == before && add_function(builder, piece->start, 0, &index) != 0)
        return -1;
    struct symbol_function *function = &builder->symbols->functions[index];
    unsigned char rank = rank_of(piece, named);
    if (rank > builder->ranks[index]) {
        builder->ranks[index] = rank;
        function->address = piece->start;
        function->size = piece->end - piece->start;
        function->linkage_name = NULL;
        if (name_function(builder, function, linkage, piece->name) != 0)
            return -1;
    }
    function->inlined = function->inlined || piece->inlined;
    if (!piece->external)
        function->scope = SYMBOL_SCOPE_STATIC;
    else if (named != NULL && named->weak)
        function->scope = SYMBOL_SCOPE_WEAK;
    else if (function->scope == SYMBOL_SCOPE_UNKNOWN)
        function->scope = SYMBOL_SCOPE_GLOBAL;
    if (piece->path != NULL && function->file == NULL) {
        function->file = keep(builder, piece->path, strlen(piece->path));
        function->line = piece->line;
        if (function->file == NULL)
            return -1;
    }
    return add_range(builder, piece->start, piece->end, index, piece->unit);
}

/* ---- from DWARF ---- */

static int by_start(const void *left, const void *right)
{
    const struct dwarf_piece *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return (a->origin > b->origin) - (a->origin < b->origin);
}

/* Marks units with functions that we did not find at their top level. */
static bool mark_nested(const struct builder *builder, struct dwarf_functions *dwarf)
{
    bool any = false;
    size_t piece = 0, range = 0;
    uint64_t covered = 0;
    array_sort(dwarf->ranges, dwarf->ranges_count, dwarf_unit_range_order);
    for (size_t i = 0; i < builder->names_count; i++) {
        const struct named *named = &builder->names[i];
        for (; piece < dwarf->pieces_count && dwarf->pieces[piece].start <= named->address; piece++)
            if (dwarf->pieces[piece].end > covered)
                covered = dwarf->pieces[piece].end;
        while (range < dwarf->ranges_count && dwarf->ranges[range].end <= named->address)
            range++;
        if (named->size > 0 && covered <= named->address && range < dwarf->ranges_count &&
            dwarf->ranges[range].start <= named->address) {
            dwarf->units[dwarf->ranges[range].unit].nested = true;
            any = true;
        }
    }
    return any;
}

static int add_pieces(struct builder *builder, struct dwarf_functions *dwarf,
                      const struct dwarf_search *search)
{
    array_sort(dwarf->pieces, dwarf->pieces_count, by_start);
    if (mark_nested(builder, dwarf)) {
        if (dwarf_functions_read(dwarf, search, true, builder->error) != 0)
            return -1;
        array_sort(dwarf->pieces, dwarf->pieces_count, by_start);
    }
    for (size_t i = 0; i < dwarf->pieces_count; i++)
        if ((i == 0 || dwarf->pieces[i].start != dwarf->pieces[i - 1].start) &&
            add_piece(builder, &dwarf->pieces[i]) != 0)
            return -1;
    return 0;
}

/* ---- from the symbol table ---- */

static int by_name(const void *left, const void *right)
{
    const struct named *a = *(const struct named *const *)left,
                       *b = *(const struct named *const *)right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* The symbol of a clone's original function, or NULL. */
static const struct named *base_of(struct named *const *sorted, size_t count,
                                   const struct named *clone)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strncmp(sorted[middle]->name, clone->name, clone->base) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct named *best = NULL;
    for (; low < count && strncmp(sorted[low]->name, clone->name, clone->base) == 0 &&
           sorted[low]->name[clone->base] == 0;
         low++) {
        int64_t distance = llabs((int64_t)sorted[low]->index - (int64_t)clone->index);
        if (best == NULL || distance < llabs((int64_t)best->index - (int64_t)clone->index))
            best = sorted[low];
    }
    return best;
}

static int add_named(struct builder *builder, const struct named *named, const struct named *base,
                     uint64_t end)
{
    char name[DEMANGLE_NAME_MAX];
    const struct symbol_range *known =
        base != NULL ? symbols_range(builder->symbols, base->address) : NULL;
    uint32_t index;
    if (known != NULL) {
        index = known->function;
    } else {
        size_t length = named->base < sizeof name ? named->base : sizeof name - 1;
        memcpy(name, named->name, length);
        name[length] = 0;
        if (add_function(builder, named->address, end - named->address, &index) != 0 ||
            name_function(builder, &builder->symbols->functions[index], name, NULL) != 0)
            return -1;
    }
    uint32_t unit = builder->symbols->lines != NULL
                        ? symbol_lines_unit(builder->symbols->lines, named->address)
                        : SYMBOL_NONE;
    return end > named->address ? add_range(builder, named->address, end, index, unit) : 0;
}

static int range_by_start(const void *left, const void *right)
{
    const struct symbol_range *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* Where a symbol's code ends: by its size, else at the next symbol, the next function that unwind
 * information knows, or its section's end. */
static uint64_t end_of(const struct builder *builder, size_t i)
{
    const struct named *named = &builder->names[i];
    const struct elf_file *module = &builder->files->module;
    if (named->size > 0)
        return named->size < UINT64_MAX - named->address ? named->address + named->size
                                                         : UINT64_MAX;
    uint64_t end = named->address + 1;
    for (uint32_t k = 0; k < module->sections_count; k++) {
        const struct elf_section *section = &module->sections[k];
        if ((section->flags & SHF_EXECINSTR) != 0 && named->address >= section->address &&
            named->address - section->address < section->size_bytes)
            end = section->address + section->size_bytes;
    }
    if (builder->frames != NULL && symbol_frames_next(builder->frames, named->address) < end)
        end = symbol_frames_next(builder->frames, named->address);
    for (size_t next = i + 1; next < builder->names_count; next++)
        if (builder->names[next].address > named->address)
            return builder->names[next].address < end ? builder->names[next].address : end;
    return end;
}

/* gcc for aarch64 may put room for a patch, nops, between a symbol and the function that DWARF
 * describes. Returns that function's range, or NULL. `known`: how many ranges are sorted. */
static const struct symbol_range *behind_nops(const struct builder *builder, uint64_t address,
                                              size_t known)
{
    const struct elf_file *module = &builder->files->module;
    const struct symbol_range *ranges = builder->symbols->ranges;
    size_t next = sorted_after(ranges, known, start, address);
    if (module->machine != EM_AARCH64 || next == known || ranges[next].start - address > NOPS_MAX ||
        (ranges[next].start - address) % sizeof nop != 0)
        return NULL;
    uint64_t bytes = ranges[next].start - address;
    const unsigned char *code = elf_file_at(module, address, bytes);
    if (code == NULL)
        return NULL;
    for (uint64_t at = 0; at < bytes; at += sizeof nop)
        if (memcmp(code + at, nop, sizeof nop) != 0)
            return NULL;
    return &ranges[next];
}

static int add_nops(struct builder *builder, uint64_t address, const struct symbol_range *function)
{
    const struct symbol_range range = *function; /* the array may move */
    return add_range(builder, address, range.start, range.function, range.unit);
}

static int add_symbols(struct builder *builder)
{
    size_t count = builder->names_count;
    struct named **sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return error_set(builder->error, "out of memory for %zu symbols", count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &builder->names[i];
    qsort(sorted, count, sizeof(struct named *), by_name);
    int result = 0;
    /* Functions first, so that a clone finds its original. */
    for (int clones = 0; clones <= 1 && result == 0; clones++) {
        size_t known_ranges = builder->symbols->ranges_count;
        array_sort(builder->symbols->ranges, builder->symbols->ranges_count, range_by_start);
        for (size_t i = 0; i < count && result == 0; i++) {
            const struct named *named = &builder->names[i];
            if (named->clone != (clones == 1) ||
                (i > 0 && builder->names[i - 1].address == named->address))
                continue;
            /* This pass's ranges are not sorted in yet: search the others alone. */
            size_t all = builder->symbols->ranges_count;
            builder->symbols->ranges_count = known_ranges;
            bool known = symbols_range(builder->symbols, named->address) != NULL;
            const struct named *base = named->clone ? base_of(sorted, count, named) : NULL;
            const struct symbol_range *owner =
                base != NULL ? symbols_range(builder->symbols, base->address) : NULL;
            builder->symbols->ranges_count = all;
            const struct symbol_range *function =
                known ? NULL : behind_nops(builder, named->address, known_ranges);
            if (function != NULL)
                result = add_nops(builder, named->address, function);
            else if (!known)
                result = add_named(builder, named, owner != NULL ? base : NULL, end_of(builder, i));
        }
    }
    array_sort(builder->symbols->ranges, builder->symbols->ranges_count, range_by_start);
    free(sorted);
    return result;
}

/* ---- from unwind information ---- */

static int add_frame(struct builder *builder, const struct symbol_frame *frame, uint64_t end)
{
    uint32_t index;
    char *name = NULL;
    if (asprintf(&name, "%s+0x%" PRIx64, last_part(builder->module_path), frame->start) < 0)
        return error_set(builder->error, "out of memory");
    int result = add_function(builder, frame->start, end - frame->start, &index);
    if (result == 0)
        result = name_function(builder, &builder->symbols->functions[index], NULL, name);
    free(name);
    return result == 0 ? add_range(builder, frame->start, end, index, SYMBOL_NONE) : -1;
}

/* Adds each function whose start lies in no other's code. */
static int add_frames(struct builder *builder)
{
    struct symbols *symbols = builder->symbols;
    const struct symbol_frames *frames = builder->frames;
    size_t known = symbols->ranges_count, next = 0;
    uint64_t covered = 0; /* by ranges that start at or before the frame */
    int result = 0;
    for (size_t i = 0; frames != NULL && i < frames->count && result == 0; i++) {
        const struct symbol_frame *frame = &frames->items[i];
        for (; next < known && symbols->ranges[next].start <= frame->start; next++)
            if (symbols->ranges[next].end > covered)
                covered = symbols->ranges[next].end;
        if (frame->start < covered)
            continue;
        uint64_t end = frame->end;
        if (next < known && symbols->ranges[next].start < end)
            end = symbols->ranges[next].start;
        result = add_frame(builder, frame, end);
    }
    array_sort(symbols->ranges, symbols->ranges_count, range_by_start);
    return result;
}

/* Labels the base and deleting variants of constructors and destructors with code of their own,
 * whose demangled names are equal. */
static int by_text(const void *left, const void *right)
{
    const struct symbol_function *a = *(struct symbol_function *const *)left,
                                 *b = *(struct symbol_function *const *)right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->address > b->address) - (a->address < b->address);
}

static int label(struct builder *builder, struct symbol_function **same, size_t count)
{
    for (size_t i = 0; i < count && count > 1; i++) {
        same[i]->same_as = (uint32_t)(same[0] - builder->symbols->functions);
        const char *linkage = same[i]->linkage_name;
        char variant = linkage != NULL ? demangle_variant(linkage) : 0;
        bool complete = false;
        for (size_t k = 0; k < count; k++)
            complete = complete || (same[k]->linkage_name != NULL &&
                                    demangle_variant(same[k]->linkage_name) == '1');
        const char *suffix = variant == '0'               ? " [deleting]"
                             : variant == '2' && complete ? " [base]"
                                                          : NULL;
        if (suffix == NULL)
            continue;
        char *text = NULL;
        int length = asprintf(&text, "%s%s", same[i]->name, suffix);
        const char *kept = length > 0 ? keep(builder, text, (size_t)length) : NULL;
        free(length >= 0 ? text : NULL);
        if (kept == NULL)
            return -1;
        same[i]->name = kept;
    }
    return 0;
}

static int label_variants(struct builder *builder)
{
    size_t count = 0;
    struct symbols *symbols = builder->symbols;
    struct symbol_function **list = malloc((symbols->functions_count + 1) * sizeof *list);
    if (list == NULL)
        return error_set(builder->error, "out of memory");
    for (size_t i = 0; i < symbols->functions_count; i++)
        if (symbols->functions[i].linkage_name != NULL &&
            demangle_variant(symbols->functions[i].linkage_name) != 0)
            list[count++] = &symbols->functions[i];
    qsort(list, count, sizeof *list, by_text);
    int result = 0;
    for (size_t start = 0, end; start < count && result == 0; start = end) {
        for (end = start + 1; end < count && strcmp(list[end]->name, list[start]->name) == 0;)
            end++;
        result = label(builder, &list[start], end - start);
    }
    free(list);
    return result;
}

struct placed {
    struct symbol_function function;
    uint32_t index;
};

static int by_address(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->function.address != b->function.address)
        return a->function.address < b->function.address ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Sorts the functions by address. */
static int sort_functions(struct builder *builder)
{
    struct symbols *symbols = builder->symbols;
    size_t count = symbols->functions_count;
    struct placed *list = malloc((count + 1) * sizeof *list);
    uint32_t *places = malloc((count + 1) * sizeof *places);
    if (list == NULL || places == NULL) {
        free(list);
        free(places);
        return error_set(builder->error, "out of memory for %zu functions", count);
    }
    for (size_t i = 0; i < count; i++)
        list[i] = (struct placed){symbols->functions[i], (uint32_t)i};
    qsort(list, count, sizeof *list, by_address);
    for (size_t i = 0; i < count; i++) {
        symbols->functions[i] = list[i].function;
        symbols->functions[i].same_as = (uint32_t)i;
        places[list[i].index] = (uint32_t)i;
    }
    for (size_t i = 0; i < symbols->ranges_count; i++)
        symbols->ranges[i].function = places[symbols->ranges[i].function];
    free(list);
    free(places);
    return 0;
}

static int finish_functions(struct builder *builder, const struct hook_calls *hooks)
{
    struct symbols *symbols = builder->symbols;
    bool look = builder->files->code && symbols->instrumented; /* else none of its code calls
                                                                * hooks */
    for (size_t i = 0; look && i < symbols->ranges_count; i++) {
        const struct symbol_range *range = &symbols->ranges[i];
        struct symbol_function *function = &symbols->functions[range->function];
        if (!function->instrumented &&
            hook_calls_in(hooks, range->start, range->end, function->address) == HOOK_OWN)
            function->instrumented = true;
    }
    for (size_t i = 0; i < symbols->functions_count; i++) {
        struct symbol_function *function = &symbols->functions[i];
        /* The line table may know functions that DWARF does not describe (a missing .dwo,
         * assembler). */
        if (function->file == NULL && symbols->lines != NULL && function->size > 0) {
            const char *file;
            symbols_line(symbols, function->address, &file, &function->line);
            if (file != NULL && (function->file = keep(builder, file, strlen(file))) == NULL)
                return -1;
        }
        const char *linkage =
            function->linkage_name != NULL ? function->linkage_name : function->name;
        function->stable_id = symbols_stable_id(builder->module_path, linkage, function->file);
    }
    return 0;
}

/* A header's static function has a copy in each unit that includes it: the first copy's function
 * takes all. */
static int merge_copies(struct builder *builder)
{
    struct symbols *symbols = builder->symbols;
    struct intern places = {0};
    uint32_t *firsts = malloc((symbols->functions_count + 1) * sizeof *firsts);
    uint32_t *now = malloc((symbols->functions_count + 1) * sizeof *now);
    int result =
        firsts != NULL && now != NULL ? 0 : error_set(builder->error, "out of memory for copies");
    uint32_t kept = 0;
    for (size_t i = 0; result == 0 && i < symbols->functions_count; i++) {
        const struct symbol_function *function = &symbols->functions[i];
        uint64_t a, b;
        uint32_t index, count = places.count;
        bool placed = symbol_copies_place(function, &a, &b);
        if (placed && (result = intern_add(&places, a, b, &index, builder->error)) != 0)
            break;
        if (placed && index < count) {
            now[i] = firsts[index];
            symbols->functions[now[i]].instrumented |= function->instrumented;
            symbols->functions[now[i]].inlined |= function->inlined;
            symbols->functions[now[i]].inlined_copies += function->inlined_copies;
            continue;
        }
        if (placed)
            firsts[index] = kept;
        now[i] = kept;
        symbols->functions[kept++] = *function;
    }
    if (result == 0) {
        symbols->functions_count = kept;
        for (size_t i = 0; i < kept; i++)
            symbols->functions[i].same_as = now[symbols->functions[i].same_as];
        for (size_t i = 0; i < symbols->ranges_count; i++)
            symbols->ranges[i].function = now[symbols->ranges[i].function];
    }
    intern_release(&places);
    free(firsts);
    free(now);
    return result;
}

/* Checks what symbols_range() relies on, and the cache's reader demands of its file. */
static void check_order(const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->ranges_count; i++) {
        must(symbols->ranges[i].function < symbols->functions_count);
        must(i == 0 || symbols->ranges[i - 1].start <= symbols->ranges[i].start);
    }
    for (size_t i = 0; i < symbols->functions_count; i++)
        must(symbols->functions[i].same_as < symbols->functions_count);
}

int symbol_inventory_make(struct symbols *symbols, const struct symbol_files *files,
                          const struct hook_calls *hooks, struct dwarf_functions *dwarf,
                          const struct dwarf_search *search, const struct symbol_frames *frames,
                          const char *module_path, struct error *error)
{
    struct builder builder = {.symbols = symbols,
                              .files = files,
                              .frames = frames,
                              .module_path = module_path,
                              .error = error};
    int result = collect_names(&builder);
    if (result == 0 && dwarf != NULL)
        result = add_pieces(&builder, dwarf, search);
    if (result == 0 && dwarf != NULL)
        result = symbol_copies_count(symbols, dwarf, &builder.groups, error);
    symbols->source = symbols->functions_count > 0 ? "dwarf" : "none";
    if (result == 0)
        result = add_symbols(&builder);
    if (symbols->functions_count > 0 && symbols->source[0] == 'n')
        symbols->source = "symtab";
    if (result == 0)
        result = add_frames(&builder);
    if (result == 0)
        result = sort_functions(&builder);
    if (result == 0)
        result = label_variants(&builder);
    if (result == 0)
        result = finish_functions(&builder, hooks);
    if (result == 0)
        result = merge_copies(&builder);
    if (result == 0)
        check_order(symbols);
    free(builder.names);
    free(builder.ranks);
    elf_file_close(&builder.mini);
    intern_release(&builder.groups);
    return result;
}
