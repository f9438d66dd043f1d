/* The rows of one line table, decoded from its bytes (DWARF 2 to 5). libdwarf 20210528 starts a
 * DWARF 5 sequence with file 0, the standard with file 1. So it names the wrong file for code from
 * headers (clang) and of link-time optimised programs (gcc). It also allocates each row. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_ROWS_H
#define FISQL_DEBUGINFO_DWARF_DWARF_ROWS_H

#include <stdbool.h>
#include <stdint.h>

struct dwarf_row {
    uint64_t address, file;
    uint32_t line; /* 0 = none */
    bool ends;     /* the first address after a sequence of code */
};

/* Visits a row. Returns 0 to go on; another value ends the walk and is returned. */
typedef int dwarf_row_visit(void *context, const struct dwarf_row *row);

/* Visits the rows of the table at `offset` of a .debug_line section. Damage ends the walk. */
int dwarf_rows(const unsigned char *section, uint64_t size_bytes, uint64_t offset,
               dwarf_row_visit *visit, void *context);

#endif
