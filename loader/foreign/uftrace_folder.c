/* What the parts of the reader of uftrace's folders stand on: files, and numbers. See uftrace.h. */
#include "loader/foreign/uftrace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_look.h"

static int read_whole(int file, const char *path, size_t bytes, char **text, struct error *error)
{
    size_t count = 0;
    *text = malloc(bytes + 1);
    if (*text == NULL)
        return error_set_file(error, ERROR_SYSTEM, path, "out of memory");
    while (count < bytes) {
        ssize_t got = read(file, *text + count, bytes - count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_file(error, ERROR_SYSTEM, path, "%s", strerror(errno));
        if (got == 0)
            break;
        count += (size_t)got;
    }
    (*text)[count] = 0;
    return 0;
}

int uftrace_file(const struct uftrace *uftrace, const char *name, char **text, size_t *bytes,
                 struct error *error)
{
    char path[PATH_MAX];
    struct stat status;
    *text = NULL;
    *bytes = 0;
    if (strchr(name, '/') != NULL ||
        snprintf(path, sizeof path, "%s/%s", uftrace->job->path, name) >= (int)sizeof path)
        return 0;
    int file = file_open_regular(path, O_RDONLY | O_CLOEXEC, &status);
    if (file < 0)
        return errno == ENOENT ? 0
                               : error_set_file(error, ERROR_SYSTEM, path, "%s", strerror(errno));
    int result = status.st_size > UFTRACE_FILE_MAX
                     ? error_set_file(error, ERROR_UNSUPPORTED, path, "is larger than %u MB",
                                      UFTRACE_FILE_MAX >> 20)
                     : read_whole(file, path, (size_t)status.st_size, text, error);
    *bytes = (size_t)status.st_size;
    close(file);
    return result;
}

int uftrace_text(const struct uftrace *uftrace, const char *name, char **text, struct error *error)
{
    size_t bytes;
    return uftrace_file(uftrace, name, text, &bytes, error);
}

char *uftrace_line(char **at)
{
    char *line = *at;
    if (line == NULL || *line == 0)
        return NULL;
    char *end = strchrnul(line, '\n');
    *at = *end != 0 ? end + 1 : end;
    *end = 0;
    return line;
}

const struct uftrace_number *uftrace_number(const struct uftrace *uftrace, int32_t number)
{
    uint32_t index = intern_find(&uftrace->number_of, (uint32_t)number, 0);
    return index == INTERN_NONE ? NULL : &uftrace->numbers[index];
}

struct log_place uftrace_place(const struct uftrace *uftrace, uint32_t image)
{
    return (struct log_place){.process_key = image + UINT64_C(1),
                              .pid = (uint32_t)uftrace->images[image].pid};
}
