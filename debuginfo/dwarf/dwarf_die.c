/* Attributes of DWARF entries: see dwarf_die.h. */
#include "debuginfo/dwarf/dwarf_die.h"

#include <string.h>

#include "base/array.h"

#define RANGES_MAX 65536 /* pieces of one function or unit; more is damage */

/* ---- attributes ---- */

static Dwarf_Attribute find_attribute(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute)
{
    Dwarf_Attribute found = NULL;
    return libdwarf_ok(debug, dwarf_attr(die, attribute, &found, failure)) ? found : NULL;
}

static void release(Dwarf_Debug debug, void *item, Dwarf_Unsigned kind)
{
    dwarf_dealloc(debug, item, kind);
}

static void release_attribute(Dwarf_Debug debug, Dwarf_Attribute attribute)
{
    release(debug, attribute, DW_DLA_ATTR);
}

/* dwarf_die_text() would take a want of memory for an entry without the attribute. */
const char *dwarf_die_string(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute)
{
    char *text = NULL;
    Dwarf_Attribute found = find_attribute(debug, die, attribute);
    if (found == NULL)
        return NULL;
    bool done = libdwarf_ok(debug, dwarf_formstring(found, &text, failure));
    release_attribute(debug, found);
    return done ? text : NULL;
}

static bool form_of(Dwarf_Debug debug, Dwarf_Attribute attribute, Dwarf_Half *form)
{
    return libdwarf_ok(debug, dwarf_whatform(attribute, form, failure));
}

static bool unsigned_of(Dwarf_Debug debug, Dwarf_Attribute attribute, Dwarf_Unsigned *number)
{
    return libdwarf_ok(debug, dwarf_formudata(attribute, number, failure));
}

static bool signed_of(Dwarf_Debug debug, Dwarf_Attribute attribute, Dwarf_Signed *number)
{
    return libdwarf_ok(debug, dwarf_formsdata(attribute, number, failure));
}

static bool offset_of(Dwarf_Debug debug, Dwarf_Attribute attribute, Dwarf_Off *offset)
{
    return libdwarf_ok(debug, dwarf_global_formref(attribute, offset, failure));
}

bool dwarf_die_number(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute, uint64_t *value)
{
    Dwarf_Attribute found = find_attribute(debug, die, attribute);
    Dwarf_Unsigned number = 0;
    if (found == NULL)
        return false;
    bool done = unsigned_of(debug, found, &number);
    if (!done) {
        /* A value in the abbreviation, for all entries of a kind, is a signed number. */
        Dwarf_Signed signed_number = 0;
        done = signed_of(debug, found, &signed_number) && signed_number >= 0;
        number = done ? (Dwarf_Unsigned)signed_number : 0;
    }
    if (!done) {
        Dwarf_Sig8 bytes;
        done = libdwarf_ok(debug, dwarf_formsig8_const(found, &bytes, failure));
        for (int i = 7; done && i >= 0; i--)
            number = number << 8 | (unsigned char)bytes.signature[i];
    }
    release_attribute(debug, found);
    *value = number;
    return done;
}

static bool expression_of(Dwarf_Debug debug, Dwarf_Attribute attribute, struct dwarf_value *value)
{
    Dwarf_Unsigned size = 0;
    Dwarf_Ptr bytes = NULL;
    if (!libdwarf_ok(debug, dwarf_formexprloc(attribute, &size, &bytes, failure)))
        return false;
    value->bytes = bytes;
    value->size_bytes = size;
    return bytes != NULL;
}

static bool block_of(Dwarf_Debug debug, Dwarf_Attribute attribute, struct dwarf_value *value)
{
    Dwarf_Block *block = NULL;
    if (!libdwarf_ok(debug, dwarf_formblock(attribute, &block, failure)))
        return false;
    value->bytes = block->bl_data;
    value->size_bytes = block->bl_len;
    release(debug, block, DW_DLA_BLOCK);
    return value->bytes != NULL;
}

static struct dwarf_value value_of(Dwarf_Debug debug, Dwarf_Attribute attribute)
{
    struct dwarf_value value = {DWARF_VALUE_NONE, 0, NULL, 0};
    Dwarf_Half form = 0;
    Dwarf_Unsigned number = 0;
    Dwarf_Signed signed_number = 0;
    Dwarf_Off offset = 0;
    bool known = form_of(debug, attribute, &form);
    enum dwarf_value_kind kind = DWARF_VALUE_NONE;
    switch (known ? form : 0) {
    case DW_FORM_exprloc:
        kind = expression_of(debug, attribute, &value) ? DWARF_VALUE_BLOCK : DWARF_VALUE_NONE;
        break;
    case DW_FORM_block:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
        kind = block_of(debug, attribute, &value) ? DWARF_VALUE_BLOCK : DWARF_VALUE_NONE;
        break;
    case DW_FORM_sec_offset:
        kind = offset_of(debug, attribute, &offset) ? DWARF_VALUE_OFFSET : DWARF_VALUE_NONE;
        number = offset;
        break;
    case DW_FORM_loclistx:
        kind = unsigned_of(debug, attribute, &number) ? DWARF_VALUE_INDEX : DWARF_VALUE_NONE;
        break;
    case DW_FORM_sdata:
    case DW_FORM_implicit_const:
        kind = signed_of(debug, attribute, &signed_number) ? DWARF_VALUE_NUMBER : DWARF_VALUE_NONE;
        number = (Dwarf_Unsigned)signed_number;
        break;
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_udata:
        kind = unsigned_of(debug, attribute, &number) ? DWARF_VALUE_NUMBER : DWARF_VALUE_NONE;
        break;
    default:
        break;
    }
    value.kind = kind;
    value.number = number;
    return value;
}

struct dwarf_value dwarf_die_value(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute)
{
    Dwarf_Attribute found = find_attribute(debug, die, attribute);
    if (found == NULL)
        return (struct dwarf_value){DWARF_VALUE_NONE, 0, NULL, 0};
    struct dwarf_value value = value_of(debug, found);
    release_attribute(debug, found);
    return value;
}

bool dwarf_die_has(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute)
{
    Dwarf_Attribute found = find_attribute(debug, die, attribute);
    if (found != NULL)
        release_attribute(debug, found);
    return found != NULL;
}

bool dwarf_die_is_named(Dwarf_Debug debug, Dwarf_Die die, const char *name, size_t name_bytes)
{
    const char *own = dwarf_die_string(debug, die, DW_AT_name);
    return own != NULL && strlen(own) == name_bytes && memcmp(own, name, name_bytes) == 0;
}

bool dwarf_die_is_static(Dwarf_Debug debug, Dwarf_Die die)
{
    return dwarf_die_flag(debug, die, DW_AT_external) ||
           dwarf_die_flag(debug, die, DW_AT_declaration);
}

bool dwarf_die_member_offset(Dwarf_Debug debug, Dwarf_Die die, uint64_t *offset_bytes)
{
    *offset_bytes = 0;
    return dwarf_die_number(debug, die, DW_AT_data_member_location, offset_bytes) ||
           !dwarf_die_has(debug, die, DW_AT_data_member_location);
}

bool dwarf_die_flag(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute)
{
    Dwarf_Bool set = 0;
    Dwarf_Attribute found = find_attribute(debug, die, attribute);
    if (found == NULL)
        return false;
    bool done = libdwarf_ok(debug, dwarf_formflag(found, &set, failure));
    release_attribute(debug, found);
    return done && set != 0;
}

/* ---- entries ---- */

Dwarf_Die dwarf_die_at(Dwarf_Debug debug, Dwarf_Off offset)
{
    Dwarf_Die die = NULL;
    return libdwarf_ok(debug, dwarf_offdie_b(debug, offset, 1, &die, failure)) ? die : NULL;
}

void dwarf_die_release(Dwarf_Die die)
{
    if (die != NULL)
        dwarf_dealloc_die(die);
}

Dwarf_Die dwarf_die_child(Dwarf_Debug debug, Dwarf_Die die)
{
    Dwarf_Die child = NULL;
    return libdwarf_ok(debug, dwarf_child(die, &child, failure)) ? child : NULL;
}

Dwarf_Die dwarf_die_next(Dwarf_Debug debug, Dwarf_Die die)
{
    Dwarf_Die next = NULL;
    bool done = libdwarf_ok(debug, dwarf_api_sibling(debug, die, &next, failure));
    dwarf_die_release(die);
    return done ? next : NULL;
}

Dwarf_Half dwarf_die_tag(Dwarf_Debug debug, Dwarf_Die die)
{
    Dwarf_Half tag = 0;
    return libdwarf_ok(debug, dwarf_tag(die, &tag, failure)) ? tag : 0;
}

bool dwarf_die_offset(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Off *offset)
{
    return libdwarf_ok(debug, dwarf_dieoffset(die, offset, failure));
}

bool dwarf_die_unit(Dwarf_Debug debug, Dwarf_Off offset, Dwarf_Off *header)
{
    Dwarf_Die die = dwarf_die_at(debug, offset);
    Dwarf_Off within = 0;
    bool known = die != NULL && libdwarf_ok(debug, dwarf_die_CU_offset(die, &within, failure));
    dwarf_die_release(die);
    *header = offset - within;
    return known && within <= offset;
}

bool dwarf_die_refers(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute, Dwarf_Off *offset)
{
    Dwarf_Attribute found = find_attribute(debug, die, attribute);
    Dwarf_Half form = 0;
    if (found == NULL)
        return false;
    /* Other forms lead into another file (dwz) or to a type. */
    bool here = form_of(debug, found, &form) && form != DW_FORM_ref_sig8 &&
                form != DW_FORM_GNU_ref_alt && form != DW_FORM_ref_sup4 &&
                form != DW_FORM_ref_sup8 && offset_of(debug, found, offset);
    release_attribute(debug, found);
    return here;
}

Dwarf_Die dwarf_die_referred(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Half attribute,
                             Dwarf_Off *offset)
{
    return dwarf_die_refers(debug, die, attribute, offset) ? dwarf_die_at(debug, *offset) : NULL;
}

Dwarf_Die dwarf_die_original(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Off *offset)
{
    Dwarf_Die original = dwarf_die_referred(debug, die, DW_AT_abstract_origin, offset);
    return original != NULL ? original
                            : dwarf_die_referred(debug, die, DW_AT_specification, offset);
}

bool dwarf_die_version(Dwarf_Die die, uint16_t *version, uint16_t *offset_bytes)
{
    Dwarf_Half number = 0, bytes = 0;
    if (dwarf_get_version_of_die(die, &number, &bytes) != DW_DLV_OK)
        return false;
    *version = number;
    *offset_bytes = bytes;
    return true;
}

/* ---- addresses ---- */

static bool low_of(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Addr *low)
{
    return libdwarf_ok(debug, dwarf_lowpc(die, low, failure));
}

uint64_t dwarf_die_low(Dwarf_Debug debug, Dwarf_Die die)
{
    Dwarf_Addr low = 0;
    return low_of(debug, die, &low) ? low : 0;
}

uint64_t dwarf_die_entry(Dwarf_Debug debug, Dwarf_Die die)
{
    Dwarf_Attribute attribute = find_attribute(debug, die, DW_AT_entry_pc);
    Dwarf_Addr entry = 0;
    if (attribute == NULL)
        return 0;
    if (!libdwarf_ok(debug, dwarf_formaddr(attribute, &entry, failure)))
        entry = 0;
    release_attribute(debug, attribute);
    return entry;
}

static int add_range(struct dwarf_ranges *ranges, uint64_t start, uint64_t end, struct error *error)
{
    if (end <= start || ranges->count >= RANGES_MAX)
        return 0;
    return array_add(&ranges->items, &ranges->count, &ranges->capacity,
                     ((struct dwarf_range){start, end}), error);
}

/* DWARF 2 to 4: .debug_ranges. */
static int old_ranges(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Off offset, uint64_t base,
                      struct dwarf_ranges *ranges, struct error *error)
{
    Dwarf_Ranges *list = NULL;
    Dwarf_Signed count = 0;
    Dwarf_Unsigned bytes = 0;
    Dwarf_Off real = 0;
    int result = 0;
    if (!libdwarf_ok(debug,
                     dwarf_get_ranges_b(debug, offset, die, &real, &list, &count, &bytes, failure)))
        return 0;
    for (Dwarf_Signed i = 0; i < count && result == 0; i++) {
        if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
            base = list[i].dwr_addr2;
        else if (list[i].dwr_type == DW_RANGES_ENTRY)
            result = add_range(ranges, base + list[i].dwr_addr1, base + list[i].dwr_addr2, error);
    }
    dwarf_api_release_ranges(debug, list, count);
    return result;
}

/* DWARF 5: .debug_rnglists. */
static int new_ranges(Dwarf_Debug debug, Dwarf_Attribute attribute, Dwarf_Half form,
                      Dwarf_Unsigned value, struct dwarf_ranges *ranges, struct error *error)
{
    Dwarf_Rnglists_Head head = NULL;
    Dwarf_Unsigned count = 0, offset = 0;
    int result = 0;
    if (!libdwarf_ok(debug, dwarf_rnglists_get_rle_head(attribute, form, value, &head, &count,
                                                        &offset, failure)))
        return 0;
    for (Dwarf_Unsigned i = 0; i < count && result == 0; i++) {
        unsigned length = 0, kind = 0;
        Dwarf_Unsigned raw1, raw2, start = 0, end = 0;
        Dwarf_Bool unavailable = 0;
        if (!libdwarf_ok(debug,
                         dwarf_get_rnglists_entry_fields_a(head, i, &length, &kind, &raw1, &raw2,
                                                           &unavailable, &start, &end, failure)))
            break;
        if (kind != DW_RLE_end_of_list && kind != DW_RLE_base_address &&
            kind != DW_RLE_base_addressx && !unavailable)
            result = add_range(ranges, start, end, error);
    }
    dwarf_dealloc_rnglists_head(head);
    return result;
}

static int listed_ranges(Dwarf_Debug debug, Dwarf_Die die, uint64_t base,
                         struct dwarf_ranges *ranges, struct error *error)
{
    Dwarf_Attribute attribute = find_attribute(debug, die, DW_AT_ranges);
    uint16_t version = 0, offset_size = 0;
    Dwarf_Half form = 0;
    Dwarf_Unsigned value = 0;
    int result = 0;
    if (attribute == NULL)
        return 0;
    bool known = dwarf_die_version(die, &version, &offset_size) && form_of(debug, attribute, &form);
    if (known && form == DW_FORM_rnglistx)
        known = unsigned_of(debug, attribute, &value);
    else if (known)
        known = offset_of(debug, attribute, &value);
    if (known && version >= 5)
        result = new_ranges(debug, attribute, form, value, ranges, error);
    else if (known)
        result = old_ranges(debug, die, value, base, ranges, error);
    release_attribute(debug, attribute);
    return result;
}

int dwarf_die_ranges(Dwarf_Debug debug, Dwarf_Die die, uint64_t base, struct dwarf_ranges *ranges,
                     struct error *error)
{
    Dwarf_Addr low = 0, high = 0;
    Dwarf_Half form = 0;
    enum Dwarf_Form_Class form_class = DW_FORM_CLASS_UNKNOWN;
    ranges->count = 0;
    if (!low_of(debug, die, &low) ||
        !libdwarf_ok(debug, dwarf_highpc_b(die, &high, &form, &form_class, failure)))
        return listed_ranges(debug, die, base, ranges, error);
    if (form_class == DW_FORM_CLASS_CONSTANT)
        high += low;
    return add_range(ranges, low, high, error);
}
