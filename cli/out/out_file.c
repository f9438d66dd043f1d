/* A command's output, whole or not at all: see out_file.h. */
#include "cli/out/out_file.h"
#include "cli/out/say.h"
#include "cli/out/interrupts.h"
#include "base/shortage.h"
#include "base/unfinished.h"
#include "base/parts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(const struct stat *one, const char *path)
{
    struct stat two;
    return stat(path, &two) == 0 && one->st_dev == two.st_dev && one->st_ino == two.st_ino;
}

/* Makes the file that gets the path's name when it is whole. Returns a descriptor, or -1 with
 * errno. */
static int open_beside(struct out_file *out, const char *const *sources, size_t sources_count)
{
    for (int i = 0; i < 100; i++) { /* killed processes may have left some of this pid */
        if (snprintf(out->beside, sizeof out->beside, "%s.writing-%d-%d", out->path, (int)getpid(),
                     i) >= (int)sizeof out->beside) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = unfinished_open(out->beside, sources, sources_count);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

int out_file_open(struct out_file *out, const char *path, const char *const *inputs,
                  int inputs_count)
{
    struct stat there;
    *out = (struct out_file){.stream = stdout};
    if (path == NULL || strcmp(path, "-") == 0)
        return 0;
    out->path = path;
    bool exists = stat(path, &there) == 0;
    if (!exists && errno != ENOENT) /* what is there may be a device, and is not to be replaced */
        return fail("%s: cannot be written: %s", path, strerror(errno));
    for (int i = 0; i < inputs_count && exists; i++)
        if (same_file(&there, inputs[i]))
            return fail("%s: is what is read here: give another file with -o", path);
    if (exists && S_ISDIR(there.st_mode))
        return fail("%s: cannot be written: it is a folder: name a file in it with -o", path);
    if (exists && !S_ISREG(there.st_mode)) {
        out->stream = fopen(path, "w");
        return out->stream != NULL ? 0 : fail("%s: cannot be opened: %s", path, strerror(errno));
    }
    const char *sources[8];
    size_t sources_count = 0;
    for (int i = 0; i < inputs_count && sources_count < 7; i++)
        sources[sources_count++] = inputs[i];
    if (exists)
        sources[sources_count++] = path;
    interrupts_remove_unfinished();
    int file = open_beside(out, sources, sources_count);
    if (file < 0)
        return fail("%s: cannot be made: %s", path, strerror(errno));
    out->stream = fdopen(file, "w");
    if (out->stream != NULL)
        return 0;
    close(file);
    unfinished_remove(out->beside);
    return fail("out of memory");
}

int out_file_close(struct out_file *out, int status)
{
    int failed = ferror(out->stream) ? (errno != 0 ? errno : EIO) : 0;
    if ((out->path == NULL ? fflush(out->stream) : fclose(out->stream)) != 0 && failed == 0)
        failed = errno;
    if (failed == EPIPE && out->path == NULL)
        return status; /* the reader has had enough */
    if (status == 0 && failed == 0)
        failed = shortage_noted(); /* a part of it is missing */
    if (status == 0 && failed == 0 && out->beside[0] != '\0' &&
        unfinished_publish(out->beside, out->path) != 0)
        failed = errno;
    if (out->path == NULL && failed != 0) { /* said here; main has nothing left to flush */
        __fpurge(stdout);
        clearerr(stdout);
    }
    if (status == 0 && failed != 0)
        status = fail("%s: cannot be written: %s",
                      out->path != NULL ? out->path : "standard output", strerror(failed));
    if (status != 0 && out->beside[0] != '\0')
        unfinished_remove(out->beside);
    return status;
}

void out_file_beside(const char *log, const char *ending, char *path, size_t size)
{
    size_t length = strlen(log);
    while (length > 1 && log[length - 1] == '/') /* a folder of another tool's */
        length--;
    if (has_ending(log, ".bin"))
        length -= 4;
    snprintf(path, size, "%.*s%s", (int)length, log, ending);
}
