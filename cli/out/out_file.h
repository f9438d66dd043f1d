/* The file that a command writes: it appears under its name only when it is whole. */
#ifndef FISQL_CLI_OUT_OUT_FILE_H
#define FISQL_CLI_OUT_OUT_FILE_H

#include <limits.h>
#include <stdio.h>

struct out_file {
    FILE *stream;
    const char *path;      /* NULL = standard output */
    char beside[PATH_MAX]; /* what is renamed at the end; empty for a pipe or a device */
};

/* Opens the output; a path of NULL or "-" is standard output. `inputs` are the files that the
 * command reads: they must not be overwritten, and users who may not read them must not read the
 * output. The path is borrowed until the close. Returns 0, or fail()'s status with the reason. */
int out_file_open(struct out_file *out, const char *path, const char *const *inputs,
                  int inputs_count);

/* Ends the output: makes it whole where `status` is 0, takes it away otherwise. Returns `status`,
 * or fail()'s after saying why it cannot be written. */
int out_file_close(struct out_file *out, int status);

/* The path of what is made of a log: the ending, such as ".db", replaces .bin or follows other
 * names. */
void out_file_beside(const char *log, const char *ending, char *path, size_t size);

#endif
