/* Names of types as in a source: see parameter_types.h. A name is made from the inside out, as C's
 * declarations are: `char *`, `int (*)(long)`, `const std::string &`. */
#include "debuginfo/expressions/parameter_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debuginfo/names/short_name.h"

#define NAME_MAX_BYTES 512
#define NESTING_MAX 12
#define SCOPES_NESTING_MAX 16
#define SCOPED_MAX (1u << 20)
#define FUNCTION_PARAMETERS_MAX 8

/* A growing text; what does not fit is cut. */
struct name {
    char text[NAME_MAX_BYTES];
    size_t used;
};

static void add(struct name *name, const char *text)
{
    size_t length = strlen(text), room = sizeof name->text - 1 - name->used;
    if (length > room)
        length = room;
    memcpy(name->text + name->used, text, length);
    name->used += length;
    name->text[name->used] = 0;
}

/* ---- scopes ---- */

static void read_scope(struct type_reader *reader, Dwarf_Die parent, const char *prefix,
                       unsigned nesting);

static void add_scoped(struct type_reader *reader, Dwarf_Die die, const char *prefix)
{
    struct type_scopes *scopes = &reader->scopes;
    Dwarf_Off offset = 0;
    uint32_t index;
    if (!dwarf_die_offset(reader->types->debug, die, &offset) || scopes->count >= SCOPED_MAX)
        return;
    if (intern_add(&scopes->offsets, offset, 0, &index, reader->error) != 0 ||
        array_reach(&scopes->prefixes, &scopes->capacity, index, reader->error) != 0) {
        reader->failed = true;
        return;
    }
    scopes->prefixes[index] = prefix;
    scopes->count = (size_t)index + 1;
}

/* The prefix within an entry, without inline namespaces. */
static const char *inner_prefix(struct type_reader *reader, Dwarf_Die die, Dwarf_Half tag,
                                const char *prefix)
{
    char text[NAME_MAX_BYTES];
    const char *name = dwarf_die_string(reader->types->debug, die, DW_AT_name);
    if (tag == DW_TAG_namespace &&
        (dwarf_die_flag(reader->types->debug, die, DW_AT_export_symbols) ||
         (name != NULL && (strcmp(name, "__cxx11") == 0 || strcmp(name, "__1") == 0))))
        return prefix;
    snprintf(text, sizeof text, "%s%s::", prefix, name != NULL ? name : "(anonymous)");
    return type_reader_keep(reader, text, strlen(text));
}

static void read_scope(struct type_reader *reader, Dwarf_Die parent, const char *prefix,
                       unsigned nesting)
{
    Dwarf_Debug debug = reader->types->debug;
    Dwarf_Die child = nesting < SCOPES_NESTING_MAX ? dwarf_die_child(debug, parent) : NULL;
    for (; child != NULL; child = dwarf_die_next(debug, child)) {
        Dwarf_Half tag = reader->failed ? 0 : dwarf_die_tag(debug, child);
        bool inner = tag == DW_TAG_namespace || dwarf_tag_is_class(tag);
        if (prefix[0] != 0 &&
            (dwarf_tag_is_class(tag) || tag == DW_TAG_typedef || tag == DW_TAG_enumeration_type))
            add_scoped(reader, child, prefix);
        if (inner &&
            (tag == DW_TAG_namespace || dwarf_die_string(debug, child, DW_AT_name) != NULL))
            read_scope(reader, child, inner_prefix(reader, child, tag, prefix), nesting + 1);
    }
}

static const char *scope_of(struct type_reader *reader, Dwarf_Off offset)
{
    struct type_scopes *scopes = &reader->scopes;
    if (!scopes->read) {
        scopes->read = true;
        Dwarf_Die unit = dwarf_die_at(reader->types->debug, reader->types->unit);
        if (unit != NULL)
            read_scope(reader, unit, "", 0);
        dwarf_die_release(unit);
    }
    uint32_t index = intern_find(&scopes->offsets, offset, 0);
    return index != INTERN_NONE && index < scopes->count && scopes->prefixes[index] != NULL
               ? scopes->prefixes[index]
               : "";
}

void type_reader_end(struct type_reader *reader)
{
    intern_release(&reader->scopes.offsets);
    free(reader->scopes.prefixes);
    reader->scopes = (struct type_scopes){.count = 0};
}

/* ---- names ---- */

static void name_of(struct type_reader *reader, Dwarf_Die die, struct name *name, unsigned nesting);

/* An entry's own name with its scope; C's tags with their word. */
static void add_own(struct type_reader *reader, Dwarf_Die die, Dwarf_Half tag, struct name *name)
{
    Dwarf_Debug debug = reader->types->debug;
    const char *own = dwarf_die_string(debug, die, DW_AT_name);
    const char *word = tag == DW_TAG_enumeration_type ? "enum"
                       : tag == DW_TAG_union_type     ? "union"
                       : dwarf_tag_is_class(tag)      ? "struct"
                                                      : NULL;
    Dwarf_Off offset = 0;
    if (own == NULL) {
        add(name, word != NULL ? word : "?");
        add(name, word != NULL ? " {...}" : "");
        return;
    }
    if (!reader->types->is_cxx) {
        if (word != NULL && !reader->types->cxx) {
            add(name, word);
            add(name, " ");
        }
        add(name, own);
        return;
    }
    char text[2 * NAME_MAX_BYTES];
    const char *scope = dwarf_die_offset(debug, die, &offset) ? scope_of(reader, offset) : "";
    snprintf(text, sizeof text, "%s%s", scope, own);
    char *brief = strchr(text, '<') != NULL ? short_name(text, false) : NULL;
    add(name, brief != NULL ? brief : text);
    free(brief);
}

/* `int (*)(long, char *)`; the die is the function type's. */
static void add_function(struct type_reader *reader, Dwarf_Die die, const char *middle,
                         struct name *name, unsigned nesting)
{
    Dwarf_Debug debug = reader->types->debug;
    unsigned count = 0;
    name_of(reader, die, name, nesting + 1);
    add(name, " (");
    add(name, middle);
    add(name, ")(");
    Dwarf_Die child = dwarf_die_child(debug, die);
    for (; child != NULL; child = dwarf_die_next(debug, child)) {
        Dwarf_Half tag = dwarf_die_tag(debug, child);
        if (tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters)
            continue;
        if (count++ >= FUNCTION_PARAMETERS_MAX)
            continue;
        add(name, count > 1 ? ", " : "");
        if (tag == DW_TAG_unspecified_parameters || count == FUNCTION_PARAMETERS_MAX)
            add(name, "...");
        else
            name_of(reader, child, name, nesting + 1);
    }
    add(name, count == 0 && !reader->types->cxx ? "void)" : ")");
}

/* `T *`, `T &`; in a function's type the mark is inside. */
static void add_pointer(struct type_reader *reader, Dwarf_Die die, const char *mark,
                        struct name *name, unsigned nesting)
{
    Dwarf_Off offset = 0;
    Dwarf_Die target = dwarf_die_referred(reader->types->debug, die, DW_AT_type, &offset);
    if (target != NULL && dwarf_die_tag(reader->types->debug, target) == DW_TAG_subroutine_type) {
        add_function(reader, target, mark, name, nesting);
    } else {
        name_of(reader, die, name, nesting + 1);
        bool after = name->used > 0 && strchr("*&", name->text[name->used - 1]) != NULL;
        add(name, after ? "" : " ");
        add(name, mark);
    }
    dwarf_die_release(target);
}

/* const and volatile: before the type, but after a pointer. */
static void add_qualified(struct type_reader *reader, Dwarf_Die die, const char *word,
                          struct name *name, unsigned nesting)
{
    Dwarf_Off offset = 0;
    Dwarf_Die target = dwarf_die_referred(reader->types->debug, die, DW_AT_type, &offset);
    Dwarf_Half tag = target != NULL ? dwarf_die_tag(reader->types->debug, target) : 0;
    dwarf_die_release(target);
    if (tag == DW_TAG_pointer_type) {
        name_of(reader, die, name, nesting + 1);
        add(name, word);
        return;
    }
    add(name, word);
    add(name, " ");
    name_of(reader, die, name, nesting + 1);
}

static void add_array(struct type_reader *reader, Dwarf_Die die, struct name *name,
                      unsigned nesting)
{
    char text[32];
    uint64_t count = dwarf_type_elements(reader->types, die);
    name_of(reader, die, name, nesting + 1);
    if (count > 0)
        snprintf(text, sizeof text, "[%llu]", (unsigned long long)count);
    add(name, count > 0 ? text : "[]");
}

static void add_member_pointer(struct type_reader *reader, Dwarf_Die die, struct name *name,
                               unsigned nesting)
{
    Dwarf_Off offset = 0;
    Dwarf_Die class = dwarf_die_referred(reader->types->debug, die, DW_AT_containing_type, &offset);
    name_of(reader, die, name, nesting + 1);
    add(name, " ");
    if (class != NULL)
        add_own(reader, class, dwarf_die_tag(reader->types->debug, class), name);
    add(name, "::*");
    dwarf_die_release(class);
}

static void add_type(struct type_reader *reader, Dwarf_Die type, struct name *name,
                     unsigned nesting)
{
    Dwarf_Half tag = dwarf_die_tag(reader->types->debug, type);
    switch (tag) {
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        add_pointer(reader, type,
                    tag == DW_TAG_pointer_type     ? "*"
                    : tag == DW_TAG_reference_type ? "&"
                                                   : "&&",
                    name, nesting);
        break;
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
        add_qualified(reader, type, tag == DW_TAG_const_type ? "const" : "volatile", name, nesting);
        break;
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
        name_of(reader, type, name, nesting + 1);
        break;
    case DW_TAG_subroutine_type:
        add_function(reader, type, "", name, nesting);
        break;
    case DW_TAG_array_type:
        add_array(reader, type, name, nesting);
        break;
    case DW_TAG_ptr_to_member_type:
        add_member_pointer(reader, type, name, nesting);
        break;
    default:
        add_own(reader, type, tag, name);
    }
}

/* Adds the name of an entry's type. */
static void name_of(struct type_reader *reader, Dwarf_Die die, struct name *name, unsigned nesting)
{
    Dwarf_Off offset = 0;
    Dwarf_Die type = nesting <= NESTING_MAX
                         ? dwarf_die_referred(reader->types->debug, die, DW_AT_type, &offset)
                         : NULL;
    if (type != NULL)
        add_type(reader, type, name, nesting);
    else
        add(name, dwarf_die_has(reader->types->debug, die, DW_AT_type) ? "?" : "void");
    dwarf_die_release(type);
}

const char *parameter_type_name(struct type_reader *reader, Dwarf_Die die)
{
    struct name name = {.used = 0};
    name_of(reader, die, &name, 0);
    return type_reader_keep(reader, name.text, name.used);
}
