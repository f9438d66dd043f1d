/* Checksums of the recorded program's source files, as the compiler wrote them: with them one can
 * tell whether a file is the one that was compiled. */
#ifndef FISQL_LOADER_PROGRAM_PROGRAM_CHECKSUMS_H
#define FISQL_LOADER_PROGRAM_PROGRAM_CHECKSUMS_H

#include "base/text_pool.h"
#include "loader/program/program.h"

struct source_checksum {
    const char *path;
    char md5[33]; /* hexadecimal; "" = two modules were made of different files */
};

/* By path. Zero is empty. */
struct source_checksums {
    struct source_checksum *items;
    size_t count, capacity;
    struct text_pool paths;
};

/* Reads those of all modules whose functions have source files, if their debug information is not
 * packed. Returns 0, or -1 with *error set. Release it in both cases. */
MUST_CHECK int program_checksums(const struct program *program,
                                 const struct symbols_options *options,
                                 struct source_checksums *checksums, struct error *error);
void program_checksums_release(struct source_checksums *checksums);

/* The checksum of the file; NULL = not known. */
const char *program_checksum_of(const struct source_checksums *checksums, const char *path);

#endif
