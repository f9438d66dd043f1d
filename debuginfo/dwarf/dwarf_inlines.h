/*
 * Inlined calls of a unit: each inlined body's code, and the file and line of its call
 * (DW_TAG_inlined_subroutine with DW_AT_call_file and DW_AT_call_line).
 *
 * An address lies in one such body, that in another, and so on outwards to the function in the
 * symbol table. The line table gives the innermost line, the chain the lines around it. Bodies nest
 * and do not cross; if damaged information says otherwise, a chain ends early. Not safe for
 * threads. We read no chains of split units (.dwo).
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_INLINES_H
#define FISQL_DEBUGINFO_DWARF_DWARF_INLINES_H

#include "base/text_pool.h"
#include "debuginfo/dwarf/dwarf_lines.h"

struct dwarf_inline {
    uint64_t start, end; /* a piece of the inlined body */
    const char *path;    /* of the call; NULL = unknown */
    uint32_t line;       /* 0 = unknown */
    uint32_t depth;      /* number of bodies around it */
    uint32_t around;     /* index + 1 of the piece around it, 0 = none */
};

struct dwarf_inlines {
    struct dwarf_inline *items; /* by start, at one start the outer first */
    size_t count, capacity;
};

/* Reads the bodies inlined in the unit whose entry is at the offset. 0, or -1 without memory. */
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
