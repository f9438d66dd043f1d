/* Declarations of functions that other modules define, in the debug information of a program: those
 * with C's linkage, at the top of a unit. */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_DECLARATIONS_H
#define FISQL_DEBUGINFO_DWARF_DWARF_DECLARATIONS_H

#include "base/error.h"
#include "debuginfo/dwarf/dwarf_file.h"
#include "debuginfo/dwarf/dwarf_types.h"
#include "debuginfo/elf/elf_file.h"

/* `die` is the declaration's entry in the types' `debug`. Returns 0 to go on; -1 without memory,
 * which ends the walk. */
typedef int declaration_visit(void *context, Dwarf_Die die, const char *name);

/* Visits them, unit after unit; a function is declared in many. Meanwhile *types are its unit's.
 * Split units (.dwo) are left out. module: the file that it describes. With a `prefix`, definitions
 * stand for declarations: those of functions whose names begin so; `name` is what follows
 * (debuginfo/prototypes/prototypes.h). Returns 0, or -1 without memory. */
int dwarf_declarations(struct dwarf_file *file, const struct elf_file *module,
                       struct dwarf_types *types, const char *prefix, declaration_visit *visit,
                       void *context, struct error *error);

#endif
