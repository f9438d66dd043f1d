/* Our descriptors and files in somebody else's process. */
#ifndef FISQL_COLLECTOR_CORE_FILE_H
#define FISQL_COLLECTOR_CORE_FILE_H

#include <stdbool.h>

/* Beyond RLIMIT_FSIZE the kernel sends SIGXFSZ, which would kill the program. Put these around our
 * work on files, with signals blocked: a SIGXFSZ that is newly pending is ours, and we take it
 * back. */
struct file_size {
    bool waiting;
};
void file_size_begin(struct file_size *limit);
void file_size_end(const struct file_size *limit);

/* open() for our files: never returns a standard descriptor's number that the program has closed,
 * because other threads' output there would go into our file. */
int file_open(const char *path, int flags);
int file_open_at(int folder, const char *path, int flags);
void file_descriptor_path(int file, char path[32]);
/* Moves a descriptor to a high number, out of the program's way, closed at exec. Returns the new
 * number, or the old one if no other is free. */
int file_move_high(int file);
int file_copy_high(int file, bool close_at_exec); /* -1: no number is free */

#endif
