/*
 * Functions and lines out of DWARF: see symbols_dwarf.h.
 *
 * One pass over all units finds the functions: entries DW_TAG_subprogram with code. Name, file and
 * line come from the entry itself or from the ones it refers to (DW_AT_abstract_origin,
 * DW_AT_specification). A unit's line table is read when the first of its addresses is asked for.
 */
#include "loader/symbols_dwarf.h"

#include <libdwarf/dwarf.h>
#include <fcntl.h>
#include <libdwarf/libdwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/array.h"

#define REFERENCES_MAX 8 /* how far a chain of references is followed */
#define NESTING_MAX 64   /* how deep entries may nest */

struct line {
    uint64_t address;
    uint32_t number;
    uint32_t file; /* index in the unit's files */
    bool ends;     /* the address after the last one of a sequence */
};

struct unit {
    Dwarf_Off entry; /* of the unit's own entry */
    bool lines_read;
    struct line *lines; /* by address */
    size_t lines_count, lines_capacity;
    char **files;
    size_t files_count, files_capacity;
};

struct symbols_dwarf {
    Dwarf_Debug debug;
    int file;
    struct unit *units;
    size_t units_count, units_capacity;
    Dwarf_Half version; /* of the unit being walked */
};

struct symbols_dwarf *dwarf_open(const char *path)
{
    struct symbols_dwarf *dwarf = calloc(1, sizeof *dwarf);
    Dwarf_Error error = NULL;
    if (dwarf == NULL)
        return NULL;
    dwarf->file = open(path, O_RDONLY | O_CLOEXEC);
    if (dwarf->file < 0 ||
        dwarf_init_b(dwarf->file, DW_DLC_READ, 0, NULL, NULL, &dwarf->debug, &error) != DW_DLV_OK) {
        if (dwarf->file >= 0)
            close(dwarf->file);
        free(dwarf);
        return NULL;
    }
    return dwarf;
}

void dwarf_close(struct symbols_dwarf *dwarf)
{
    Dwarf_Error error = NULL;
    if (dwarf == NULL)
        return;
    for (size_t i = 0; i < dwarf->units_count; i++) {
        struct unit *unit = &dwarf->units[i];
        for (size_t k = 0; k < unit->files_count; k++)
            free(unit->files[k]);
        free(unit->files);
        free(unit->lines);
    }
    free(dwarf->units);
    dwarf_finish(dwarf->debug, &error);
    close(dwarf->file);
    free(dwarf);
}

/* ---- attributes ---- */

static bool get_number(struct symbols_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name,
                       Dwarf_Unsigned *value)
{
    Dwarf_Attribute attribute;
    Dwarf_Error error = NULL;
    if (dwarf_attr(die, name, &attribute, &error) != DW_DLV_OK)
        return false;
    bool found = dwarf_formudata(attribute, value, &error) == DW_DLV_OK;
    if (!found) {
        Dwarf_Signed number;
        found = dwarf_formsdata(attribute, &number, &error) == DW_DLV_OK && number >= 0;
        if (found)
            *value = (Dwarf_Unsigned)number;
    }
    dwarf_dealloc(dwarf->debug, attribute, DW_DLA_ATTR);
    return found;
}

static bool get_text(struct symbols_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name, const char **text)
{
    Dwarf_Attribute attribute;
    Dwarf_Error error = NULL;
    char *found = NULL;
    if (dwarf_attr(die, name, &attribute, &error) != DW_DLV_OK)
        return false;
    bool done = dwarf_formstring(attribute, &found, &error) == DW_DLV_OK && found != NULL;
    if (done)
        *text = found;
    dwarf_dealloc(dwarf->debug, attribute, DW_DLA_ATTR);
    return done;
}

/* The entry that this one refers to; NULL if none. Caller deallocates. */
static Dwarf_Die referred(struct symbols_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name)
{
    Dwarf_Attribute attribute;
    Dwarf_Error error = NULL;
    Dwarf_Off offset;
    Dwarf_Die target = NULL;
    if (dwarf_attr(die, name, &attribute, &error) != DW_DLV_OK)
        return NULL;
    if (dwarf_global_formref(attribute, &offset, &error) != DW_DLV_OK ||
        dwarf_offdie_b(dwarf->debug, offset, 1, &target, &error) != DW_DLV_OK)
        target = NULL;
    dwarf_dealloc(dwarf->debug, attribute, DW_DLA_ATTR);
    return target;
}

struct facts_found {
    const char *name, *linkage_name;
    Dwarf_Unsigned line, file;
    uint64_t origin;
};

/* Gathers name, file and line along the chain of references. The strings belong to the debug
 * sections and live as long as these are open. */
static void gather(struct symbols_dwarf *dwarf, Dwarf_Die start, struct facts_found *found)
{
    Dwarf_Die die = start;
    Dwarf_Error error = NULL;
    for (int step = 0; step < REFERENCES_MAX && die != NULL; step++) {
        Dwarf_Off offset = 0;
        if (dwarf_dieoffset(die, &offset, &error) == DW_DLV_OK)
            found->origin = offset;
        if (found->name == NULL)
            get_text(dwarf, die, DW_AT_name, &found->name);
        if (found->linkage_name == NULL &&
            !get_text(dwarf, die, DW_AT_linkage_name, &found->linkage_name))
            get_text(dwarf, die, DW_AT_MIPS_linkage_name, &found->linkage_name);
        if (found->line == 0)
            get_number(dwarf, die, DW_AT_decl_line, &found->line);
        if (found->file == 0)
            get_number(dwarf, die, DW_AT_decl_file, &found->file);
        Dwarf_Die next = referred(dwarf, die, DW_AT_abstract_origin);
        if (next == NULL)
            next = referred(dwarf, die, DW_AT_specification);
        if (die != start)
            dwarf_dealloc(dwarf->debug, die, DW_DLA_DIE);
        die = next;
    }
    if (die != NULL && die != start)
        dwarf_dealloc(dwarf->debug, die, DW_DLA_DIE);
}

/* ---- walking the units ---- */

struct walk {
    struct symbols_dwarf *dwarf;
    dwarf_visit *visit;
    void *context;
    struct error *error;
    uint32_t unit;
    Dwarf_Unsigned low_pc; /* base of the unit's ranges */
    char **files;          /* of the unit, as libdwarf gives them */
    Dwarf_Signed files_count;
};

static const char *file_name(const struct walk *walk, Dwarf_Unsigned number)
{
    /* Up to DWARF 4 files are counted from 1; from DWARF 5 on from 0. */
    Dwarf_Unsigned index = walk->dwarf->version >= 5 ? number : number - 1;
    if ((walk->dwarf->version < 5 && number == 0) || index >= (Dwarf_Unsigned)walk->files_count)
        return NULL;
    return walk->files[index];
}

static int visit_piece(struct walk *walk, const struct facts_found *found, uint64_t start,
                       uint64_t end)
{
    if (end <= start || start == 0)
        return 0; /* removed by the linker */
    struct dwarf_piece piece = {.start = start,
                                .end = end,
                                .origin = found->origin,
                                .name = found->name,
                                .linkage_name = found->linkage_name,
                                .file = file_name(walk, found->file),
                                .line = (uint32_t)found->line,
                                .unit = walk->unit};
    return walk->visit(walk->context, &piece, walk->error);
}

static int visit_ranges(struct walk *walk, Dwarf_Die die, const struct facts_found *found)
{
    Dwarf_Attribute attribute;
    Dwarf_Error error = NULL;
    Dwarf_Half form = 0;
    int result = 0;
    if (dwarf_attr(die, DW_AT_ranges, &attribute, &error) != DW_DLV_OK)
        return 0;
    dwarf_whatform(attribute, &form, &error);
    Dwarf_Unsigned value = 0, offset = 0;
    Dwarf_Off ranges_offset = 0;
    if (dwarf_global_formref(attribute, &ranges_offset, &error) == DW_DLV_OK)
        value = ranges_offset;
    else
        dwarf_formudata(attribute, &value, &error);
    if (walk->dwarf->version >= 5) {
        Dwarf_Rnglists_Head head;
        Dwarf_Unsigned count = 0;
        if (dwarf_rnglists_get_rle_head(attribute, form, value, &head, &count, &offset, &error) ==
            DW_DLV_OK) {
            for (Dwarf_Unsigned i = 0; result == 0 && i < count; i++) {
                unsigned length, kind;
                Dwarf_Unsigned raw1, raw2, low, high;
                Dwarf_Bool missing = 0;
                if (dwarf_get_rnglists_entry_fields_a(head, i, &length, &kind, &raw1, &raw2,
                                                      &missing, &low, &high, &error) != DW_DLV_OK)
                    break;
                bool is_range = kind == DW_RLE_offset_pair || kind == DW_RLE_start_end ||
                                kind == DW_RLE_start_length || kind == DW_RLE_startx_endx ||
                                kind == DW_RLE_startx_length;
                if (is_range && !missing)
                    result = visit_piece(walk, found, low, high);
            }
            dwarf_dealloc_rnglists_head(head);
        }
    } else {
        Dwarf_Ranges *ranges = NULL;
        Dwarf_Signed count = 0;
        Dwarf_Unsigned bytes = 0, base = walk->low_pc;
        Dwarf_Off real = 0;
        if (dwarf_get_ranges_b(walk->dwarf->debug, value, die, &real, &ranges, &count, &bytes,
                               &error) == DW_DLV_OK) {
            for (Dwarf_Signed i = 0; result == 0 && i < count; i++) {
                if (ranges[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
                    base = ranges[i].dwr_addr2;
                else if (ranges[i].dwr_type == DW_RANGES_ENTRY)
                    result = visit_piece(walk, found, base + ranges[i].dwr_addr1,
                                         base + ranges[i].dwr_addr2);
            }
            dwarf_ranges_dealloc(walk->dwarf->debug, ranges, count);
        }
    }
    dwarf_dealloc(walk->dwarf->debug, attribute, DW_DLA_ATTR);
    return result;
}

static int visit_subprogram(struct walk *walk, Dwarf_Die die)
{
    Dwarf_Addr low = 0;
    Dwarf_Unsigned high = 0;
    Dwarf_Half form = 0;
    enum Dwarf_Form_Class kind = DW_FORM_CLASS_UNKNOWN;
    Dwarf_Error error = NULL;
    Dwarf_Bool has_ranges = 0;
    bool has_low = dwarf_lowpc(die, &low, &error) == DW_DLV_OK;
    dwarf_hasattr(die, DW_AT_ranges, &has_ranges, &error);
    if (!has_low && !has_ranges)
        return 0;
    struct facts_found found = {0};
    gather(walk->dwarf, die, &found);
    if (has_ranges)
        return visit_ranges(walk, die, &found);
    if (dwarf_highpc_b(die, &high, &form, &kind, &error) != DW_DLV_OK)
        return 0;
    return visit_piece(walk, &found, low, kind == DW_FORM_CLASS_CONSTANT ? low + high : high);
}

/* Visits the entry's children and what they hold. Subprograms nest in namespaces, classes, blocks
 * and each other. */
static int walk_children(struct walk *walk, Dwarf_Die parent, int nesting)
{
    Dwarf_Error error = NULL;
    Dwarf_Die die = NULL;
    int result = 0;
    if (nesting > NESTING_MAX || dwarf_child(parent, &die, &error) != DW_DLV_OK)
        return 0;
    while (die != NULL && result == 0) {
        Dwarf_Half tag = 0;
        dwarf_tag(die, &tag, &error);
        if (tag == DW_TAG_subprogram)
            result = visit_subprogram(walk, die);
        if (result == 0 &&
            (tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
             tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_lexical_block ||
             tag == DW_TAG_module || tag == DW_TAG_inlined_subroutine))
            result = walk_children(walk, die, nesting + 1);
        Dwarf_Die next = NULL;
        if (dwarf_siblingof_b(walk->dwarf->debug, die, 1, &next, &error) != DW_DLV_OK)
            next = NULL;
        dwarf_dealloc(walk->dwarf->debug, die, DW_DLA_DIE);
        die = next;
    }
    if (die != NULL)
        dwarf_dealloc(walk->dwarf->debug, die, DW_DLA_DIE);
    return result;
}

static int walk_unit(struct walk *walk, Dwarf_Die entry)
{
    struct symbols_dwarf *dwarf = walk->dwarf;
    Dwarf_Error error = NULL;
    if (array_reserve(&dwarf->units, &dwarf->units_capacity, dwarf->units_count + 1, walk->error))
        return -1;
    struct unit *unit = &dwarf->units[dwarf->units_count];
    *unit = (struct unit){0};
    dwarf_dieoffset(entry, &unit->entry, &error);
    walk->unit = (uint32_t)dwarf->units_count++;
    walk->low_pc = 0;
    Dwarf_Addr low = 0;
    if (dwarf_lowpc(entry, &low, &error) == DW_DLV_OK)
        walk->low_pc = low;
    walk->files = NULL;
    walk->files_count = 0;
    if (dwarf_srcfiles(entry, &walk->files, &walk->files_count, &error) != DW_DLV_OK)
        walk->files_count = 0;
    int result = walk_children(walk, entry, 0);
    for (Dwarf_Signed i = 0; i < walk->files_count; i++)
        dwarf_dealloc(dwarf->debug, walk->files[i], DW_DLA_STRING);
    if (walk->files != NULL)
        dwarf_dealloc(dwarf->debug, walk->files, DW_DLA_LIST);
    return result;
}

int dwarf_functions(struct symbols_dwarf *dwarf, dwarf_visit *visit, void *context,
                    struct error *words)
{
    struct walk walk = {.dwarf = dwarf, .visit = visit, .context = context, .error = words};
    Dwarf_Error error = NULL;
    int result = 0;
    for (;;) {
        Dwarf_Unsigned header, abbreviations, type_offset, next;
        Dwarf_Half address_size, length_size, extension_size, type;
        Dwarf_Sig8 signature;
        if (dwarf_next_cu_header_d(dwarf->debug, 1, &header, &dwarf->version, &abbreviations,
                                   &address_size, &length_size, &extension_size, &signature,
                                   &type_offset, &next, &type, &error) != DW_DLV_OK)
            return result;
        Dwarf_Die entry = NULL;
        if (dwarf_siblingof_b(dwarf->debug, NULL, 1, &entry, &error) != DW_DLV_OK)
            continue;
        if (result == 0)
            result = walk_unit(&walk, entry);
        dwarf_dealloc(dwarf->debug, entry, DW_DLA_DIE);
    }
}

/* ---- lines ---- */

static uint32_t unit_file(struct unit *unit, const char *name)
{
    for (size_t i = unit->files_count; i-- > 0;)
        if (strcmp(unit->files[i], name) == 0)
            return (uint32_t)i;
    if (array_reserve(&unit->files, &unit->files_capacity, unit->files_count + 1, NULL) != 0)
        return UINT32_MAX;
    char *copy = strdup(name);
    if (copy == NULL)
        return UINT32_MAX;
    unit->files[unit->files_count] = copy;
    return (uint32_t)unit->files_count++;
}

static int by_address(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (int)b->ends - (int)a->ends; /* a sequence's end before what begins there */
}

static void add_line(struct symbols_dwarf *dwarf, struct unit *unit, Dwarf_Line from,
                     Dwarf_Unsigned *last_number, uint32_t *last_file)
{
    Dwarf_Addr address;
    Dwarf_Unsigned number, file_number;
    Dwarf_Bool ends = 0;
    Dwarf_Error error = NULL;
    if (dwarf_lineaddr(from, &address, &error) != DW_DLV_OK ||
        dwarf_lineno(from, &number, &error) != DW_DLV_OK ||
        dwarf_line_srcfileno(from, &file_number, &error) != DW_DLV_OK ||
        array_reserve(&unit->lines, &unit->lines_capacity, unit->lines_count + 1, NULL) != 0)
        return;
    dwarf_lineendsequence(from, &ends, &error);
    if (file_number != *last_number) {
        char *name = NULL;
        *last_file = UINT32_MAX;
        if (dwarf_linesrc(from, &name, &error) == DW_DLV_OK) {
            *last_file = unit_file(unit, name);
            dwarf_dealloc(dwarf->debug, name, DW_DLA_STRING);
        }
        *last_number = file_number;
    }
    unit->lines[unit->lines_count++] =
        (struct line){address, (uint32_t)number, *last_file, ends != 0};
}

static void read_lines(struct symbols_dwarf *dwarf, struct unit *unit)
{
    Dwarf_Error error = NULL;
    Dwarf_Die entry = NULL;
    Dwarf_Unsigned version = 0;
    Dwarf_Small tables = 0;
    Dwarf_Line_Context context = NULL;
    Dwarf_Line *lines = NULL;
    Dwarf_Signed count = 0;
    unit->lines_read = true;
    if (dwarf_offdie_b(dwarf->debug, unit->entry, 1, &entry, &error) != DW_DLV_OK)
        return;
    if (dwarf_srclines_b(entry, &version, &tables, &context, &error) == DW_DLV_OK) {
        if (dwarf_srclines_from_linecontext(context, &lines, &count, &error) == DW_DLV_OK) {
            Dwarf_Unsigned last_number = UINT64_MAX;
            uint32_t last_file = UINT32_MAX;
            for (Dwarf_Signed i = 0; i < count; i++)
                add_line(dwarf, unit, lines[i], &last_number, &last_file);
        }
        dwarf_srclines_dealloc_b(context);
    }
    dwarf_dealloc(dwarf->debug, entry, DW_DLA_DIE);
    if (unit->lines_count > 0)
        qsort(unit->lines, unit->lines_count, sizeof *unit->lines, by_address);
}

bool dwarf_line(struct symbols_dwarf *dwarf, uint32_t unit_index, uint64_t address,
                const char **file, uint32_t *number)
{
    if (unit_index >= dwarf->units_count)
        return false;
    struct unit *unit = &dwarf->units[unit_index];
    if (!unit->lines_read)
        read_lines(dwarf, unit);
    size_t low = 0, high = unit->lines_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (unit->lines[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* The last entry at the greatest address not above; entries with line 0 belong to no line. */
    while (low > 0 && unit->lines[low - 1].number == 0 && !unit->lines[low - 1].ends)
        low--;
    if (low == 0 || unit->lines[low - 1].ends || unit->lines[low - 1].file == UINT32_MAX)
        return false;
    *file = unit->files[unit->lines[low - 1].file];
    *number = unit->lines[low - 1].number;
    return true;
}
