/*
 * What kind of file is about to be run? We look before an exec, even in a signal handler and in the
 * child of a vfork: so without memory of our own, locks, or libc beyond system calls.
 */
#ifndef FISQL_COLLECTOR_PROCESS_IMAGE_H
#define FISQL_COLLECTOR_PROCESS_IMAGE_H

#include <stdbool.h>

enum image_kind {
    IMAGE_UNKNOWN, /* unreadable; nothing is known against it */
    IMAGE_DYNAMIC, /* started by a dynamic linker that can load the collector */
    IMAGE_STATIC,  /* started without a dynamic linker */
    IMAGE_MACHINE, /* for another machine, 32-bit for instance */
    IMAGE_LIBC,    /* started by a dynamic linker whose libc cannot run the collector */
};

struct image {
    enum image_kind kind;
    bool secure;   /* runs with other rights than its caller's: set-user-ID and the like */
    bool asan;     /* requires libasan.so to come first, and has its own __asan_default_options */
    char name[64]; /* the last part of its path; of the script's, if it is one */
};

/* Looks at a file by path, from the folder `folder` (AT_FDCWD, or a descriptor), or at the file
 * open as `folder` if the path is empty. A script counts as its interpreter. */
void image_look(struct image *image, int folder, const char *path);

/* Finds a program by PATH as execvp() does; false if there is none. */
bool image_find(const char *program, char *path, unsigned size);

/* Do the program's symbol names include the hooks? *linked: is the collector linked in? */
bool image_has_hooks(int folder, const char *path, bool *linked);

#endif
