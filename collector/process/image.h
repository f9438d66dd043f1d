/*
 * What is the file that is about to be run? Looked at before an exec, so without memory of its own,
 * locks or libc beyond system calls: in a signal handler and in the child of a vfork too.
 */
#ifndef FISQL_COLLECTOR_PROCESS_IMAGE_H
#define FISQL_COLLECTOR_PROCESS_IMAGE_H

#include <stdbool.h>

enum image_kind {
    IMAGE_UNKNOWN, /* cannot be looked at; nothing is known against it */
    IMAGE_DYNAMIC, /* started by a dynamic linker that can load the collector */
    IMAGE_STATIC,  /* started without one */
    IMAGE_MACHINE, /* for another machine, 32-bit for instance */
    IMAGE_LIBC,    /* started by the dynamic linker of a libc in which the collector cannot run */
};

struct image {
    enum image_kind kind;
    bool secure;   /* runs with other rights than its caller's: set-user-ID and the like */
    bool asan;     /* wants libasan.so to come first, and says itself how that is checked */
    char name[64]; /* the last part of its path, of the script's if it is one */
};

/* Looks at a file by path, from the folder `folder` (AT_FDCWD, or a descriptor), or at the file
 * that is open as `folder` if the path is empty. A script counts as its interpreter. */
void image_look(struct image *image, int folder, const char *path);

/* Finds a program by PATH as execvp() does; false if there is none. */
bool image_find(const char *program, char *path, unsigned size);

/* Does the program call the hooks, as far as its symbols' names tell? Is the collector linked in?
 */
bool image_has_hooks(int folder, const char *path, bool *linked);

#endif
