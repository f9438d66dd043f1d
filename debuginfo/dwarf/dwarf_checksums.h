/* The checksums of source files in line tables of DWARF 5: clang writes them (-gdwarf-5, its
 * default), gcc does not. Only the tables' headers are read (DWARF 5, 6.2.4). */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_CHECKSUMS_H
#define FISQL_DEBUGINFO_DWARF_DWARF_CHECKSUMS_H

#include "base/text_pool.h"
#include "debuginfo/dwarf/dwarf_file.h"

#define DWARF_MD5_BYTES 16

/* A file, with the path that dwarf_source_path() gives. Returns 0 to go on; another value ends the
 * walk and is returned. */
typedef int dwarf_checksum_visit(void *context, const char *path,
                                 const unsigned char md5[DWARF_MD5_BYTES]);

/* Visits the files with a checksum, some of them several times. Damaged tables are left out; without
 * the sections, as while they are packed, there are none. Paths live as long as the pool. Returns 0,
 * -1 without memory, or what a visit returned. Safe for threads with pools of their own. */
int dwarf_checksums(const struct dwarf_file *file, struct text_pool *pool,
                    dwarf_checksum_visit *visit, void *context, struct error *error);

#endif
