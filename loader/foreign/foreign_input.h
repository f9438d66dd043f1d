/*
 * A file of another tool's, read front to back through a buffer, unpacked where gzip packed it.
 * Offsets count from the start of the unpacked bytes.
 */
#ifndef FISQL_LOADER_FOREIGN_FOREIGN_INPUT_H
#define FISQL_LOADER_FOREIGN_FOREIGN_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Called now and then with the bytes of the file that were read; may be NULL. */
typedef void foreign_progress(void *context, uint64_t done_bytes, uint64_t total_bytes);

struct foreign_input {
    const char *path; /* for messages; borrowed */
    void *file;       /* a gzFile */
    uint64_t file_bytes;
    unsigned char *buffer;
    size_t capacity, from, count; /* unread: buffer[from .. from + count) */
    uint64_t offset;              /* of buffer[from] */
    bool ended;                   /* all is read into the buffer */
    foreign_progress *progress;
    void *progress_context;
};

MUST_CHECK int foreign_input_open(struct foreign_input *input, const char *path,
                                  struct error *error);
void foreign_input_close(struct foreign_input *input); /* zeros may be closed */

/* Makes at least `wanted` bytes available at input->buffer + input->from, or all that are left:
 * input->count says how many. wanted must be at most FOREIGN_INPUT_MAX. */
#define FOREIGN_INPUT_MAX (64u << 20)
MUST_CHECK int foreign_input_fill(struct foreign_input *input, size_t wanted, struct error *error);

static inline const unsigned char *foreign_input_at(const struct foreign_input *input)
{
    return input->buffer + input->from;
}

static inline void foreign_input_skip(struct foreign_input *input, size_t bytes)
{
    input->from += bytes;
    input->count -= bytes;
    input->offset += bytes;
}

/* "FILE: WORDS at byte OFFSET": what lies there is damaged. */
int foreign_input_damage(const struct foreign_input *input, uint64_t offset, const char *what,
                         struct error *error);

#endif
