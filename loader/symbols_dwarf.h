/* The DWARF side of symbols.c: functions and lines of a module, through libdwarf. */
#ifndef FISQL_LOADER_SYMBOLS_DWARF_H
#define FISQL_LOADER_SYMBOLS_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/error.h"

struct symbols_dwarf;

/* A piece of code that a subprogram entry describes. */
struct dwarf_piece {
    uint64_t start, end;
    uint64_t origin;          /* identity of the function: offset of its abstract entry */
    const char *name;         /* borrowed until the visit returns; NULL = none */
    const char *linkage_name; /* likewise */
    const char *file;         /* likewise; of its declaration */
    uint32_t line;
    uint32_t unit; /* index of the unit */
};

typedef int dwarf_visit(void *context, const struct dwarf_piece *piece, struct error *error);

/* Opens the DWARF of a file. Returns NULL if there is none. */
struct symbols_dwarf *dwarf_open(const char *path);
void dwarf_close(struct symbols_dwarf *dwarf);

/* Visits every piece of code of every function. 0, or what a visit returned. */
int dwarf_functions(struct symbols_dwarf *dwarf, dwarf_visit *visit, void *context,
                    struct error *error);

/* File and line of an address in a unit; false if not known. The file lives until dwarf_close(). */
bool dwarf_line(struct symbols_dwarf *dwarf, uint32_t unit, uint64_t address, const char **file,
                uint32_t *line);

#endif
