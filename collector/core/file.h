/* Descriptors and files of our own in somebody else's process. */
#ifndef FISQL_COLLECTOR_CORE_FILE_H
#define FISQL_COLLECTOR_CORE_FILE_H

#include <stdbool.h>

/* Beyond RLIMIT_FSIZE the kernel sends SIGXFSZ, which would kill the program. Around what we do to
 * files, with signals blocked: one that waits afterwards and did not before is ours, and is taken
 * back. */
struct file_size {
    bool waiting;
};
void file_size_begin(struct file_size *limit);
void file_size_end(const struct file_size *limit);

/* open(), for files of ours: never gives the number of a standard descriptor that the program has
 * closed, for what another thread writes there would go into our file. */
int file_open(const char *path, int flags);
int file_open_at(int folder, const char *path, int flags);
/* Writes /proc/self/fd/NUMBER. */
void file_descriptor_path(int file, char path[32]);
/* Moves a descriptor to a high number, out of the program's way; closes it at exec. Returns the new
 * number, or the old one if there is no other. */
int file_move_high(int file);
int file_copy_high(int file, bool close_at_exec); /* -1: there is no number free */

#endif
