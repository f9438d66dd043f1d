/*
 * Inlined calls of a unit: which code is the body of a function that was inlined, and the file and
 * line that it was called from (DW_TAG_inlined_subroutine with DW_AT_call_file and DW_AT_call_line).
 *
 * An address lies in one such body, that in another, and so on outwards to the function that stands
 * in the symbol table. The line table gives the innermost line; the chain gives the lines around it.
 * Bodies lie within one another and do not cross: where damaged information says otherwise, a chain
 * ends early. Not safe for threads. A unit of split debug information (.dwo) has no chains here.
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_INLINES_H
#define FISQL_DEBUGINFO_DWARF_DWARF_INLINES_H

#include "base/text_pool.h"
#include "debuginfo/dwarf/dwarf_lines.h"

struct dwarf_inline {
    uint64_t start, end; /* a piece of the inlined body */
    const char *path;    /* where it was called; NULL = not known */
    uint32_t line;       /* 0 = not known */
    uint32_t depth;      /* bodies around it */
    uint32_t around;     /* index + 1 of the piece that it lies in, 0 = none */
};

struct dwarf_inlines {
    struct dwarf_inline *items; /* by start; of those that start alike the outer one first */
    size_t count, capacity;
};

/* Reads the bodies inlined in the unit whose entry lies at an offset. 0, or -1 without memory. */
int dwarf_inlines_read(struct dwarf_inlines *inlines, struct dwarf_headers *headers,
                       Dwarf_Debug debug, Dwarf_Off unit, struct text_pool *pool,
                       struct error *error);
void dwarf_inlines_release(struct dwarf_inlines *inlines);

/* The innermost piece that holds an address, or NULL. */
const struct dwarf_inline *dwarf_inlines_find(const struct dwarf_inlines *inlines,
                                              uint64_t address);

/* The piece around another, or NULL. */
const struct dwarf_inline *dwarf_inlines_around(const struct dwarf_inlines *inlines,
                                                const struct dwarf_inline *piece);

#endif
