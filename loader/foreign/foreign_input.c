/* Reads another tool's file: see foreign_input.h. */
#include "loader/foreign/foreign_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "base/file_look.h"

#define BUFFER_BYTES (256u << 10)

int foreign_input_open(struct foreign_input *input, const char *path, struct error *error)
{
    struct stat status;
    *input = (struct foreign_input){.path = path};
    int file = file_open_regular(path, O_RDONLY | O_CLOEXEC, &status);
    if (file < 0)
        return error_set_file(error, ERROR_SYSTEM, path, "%s", strerror(errno));
    input->file_bytes = (uint64_t)status.st_size;
    input->file = gzdopen(file, "rb");
    if (input->file == NULL) {
        close(file);
        return error_set_file(error, ERROR_SYSTEM, path, "out of memory");
    }
    gzbuffer(input->file, BUFFER_BYTES);
    return array_reserve(&input->buffer, &input->capacity, BUFFER_BYTES, error);
}

void foreign_input_close(struct foreign_input *input)
{
    if (input->file != NULL)
        gzclose_r(input->file);
    free(input->buffer);
    *input = (struct foreign_input){0};
}

static int read_more(struct foreign_input *input, struct error *error)
{
    size_t at = input->from + input->count, room = input->capacity - at;
    int got =
        gzread(input->file, input->buffer + at, (unsigned)(room < 1u << 30 ? room : 1u << 30));
    if (got < 0) {
        int problem;
        const char *words = gzerror(input->file, &problem);
        error_set_file(error, problem == Z_ERRNO ? ERROR_SYSTEM : ERROR_DAMAGE, input->path, "%s",
                       problem == Z_ERRNO ? strerror(errno)
                       : *words != 0      ? words
                                          : "its packed bytes are damaged");
        return error_at(error, input->path, input->offset + input->count);
    }
    input->ended = got == 0;
    input->count += (size_t)got;
    if (input->progress != NULL)
        input->progress(input->progress_context, (uint64_t)gzoffset(input->file),
                        input->file_bytes);
    return 0;
}

int foreign_input_fill(struct foreign_input *input, size_t wanted, struct error *error)
{
    if (wanted <= input->count || input->ended)
        return 0;
    if (input->from > 0 && input->count > 0)
        memmove(input->buffer, input->buffer + input->from, input->count);
    input->from = 0;
    if (array_reserve(&input->buffer, &input->capacity, wanted, error) != 0)
        return -1;
    while (input->count < wanted && !input->ended)
        if (read_more(input, error) != 0)
            return -1;
    return 0;
}

int foreign_input_damage(const struct foreign_input *input, uint64_t offset, const char *what,
                         struct error *error)
{
    error_set_file(error, ERROR_DAMAGE, input->path, "%s at byte %" PRIu64, what, offset);
    return error_at(error, input->path, offset);
}
