/* What the parts of slices.h share: slices.c takes slices, slices_sort.c puts them in order,
 * slices_write.c nests and writes them. Nobody else includes this. */
#ifndef FISQL_LOADER_FOREIGN_SLICES_PARTS_H
#define FISQL_LOADER_FOREIGN_SLICES_PARTS_H

#include "loader/foreign/slices.h"

/* The order of slices: by track, time, `tie`, and as they came. */
struct slice_key {
    int64_t start_ns;
    int64_t tie; /* INT64_MIN; of whole slices the end, the latest first, behind other events */
    uint32_t track;
    uint32_t place; /* in the arena, in units of 8 bytes: ascends as slices come */
};

/* A slice in the arena and in the temporary file; values follow. */
struct slice_record {
    uint32_t bytes; /* with the values, a multiple of 8 */
    uint32_t values_bytes;
    uint32_t track, name;
    uint32_t kind;
    uint32_t padding;
    int64_t start_ns, end_ns;
};
_Static_assert(sizeof(struct slice_record) % 8 == 0, "records follow one another");

/* Writes the arena to the file as a sorted run, and empties it. */
MUST_CHECK int slices_spill(struct slices *slices, struct error *error);

/* Gives all slices in order. */
struct slices_reader;
MUST_CHECK int slices_reader_open(struct slices_reader **reader, struct slices *slices,
                                  struct error *error);
/* 1: *record, borrowed until the next call; 0: the end; -1. */
MUST_CHECK int slices_reader_next(struct slices_reader *reader, const struct slice_record **record,
                                  struct error *error);
void slices_reader_close(struct slices_reader *reader);

#endif
