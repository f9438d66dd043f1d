/*
 * What would be loaded if a program were run, found without running any of it: the program's ELF
 * file (of a script: its interpreter's) and the libraries that it is linked with. Only the dynamic
 * linker that the file names is run, on its own, with --list: it looks where it would look for the
 * program, and calls nothing in what it finds. A static program has no libraries.
 */
#ifndef FISQL_CLI_RECORD_RECORD_LIBRARIES_H
#define FISQL_CLI_RECORD_RECORD_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

/* The file that execvp() would run; false with errno if there is none, or none that may be run. */
bool program_find(const char *program, char *path, size_t size);

/* The real path of the ELF file that runs when the program is run, in `path` of PATH_MAX bytes. False if there is
 * none, or it is neither an ELF file nor a script. */
bool program_image(const char *program, char *path);

/* Calls each() with the path of the image, then of every library but glibc, until it returns other than 0. Returns
 * that, or 2 after saying why the libraries cannot be known. */
int program_modules(const char *image, int (*each)(void *context, const char *path), void *context);

/* Is it glibc? That holds hooks that do nothing, for programs that run without a tracer: it is not itself
 * instrumented, and where its debug information is installed reading that takes most of a second. */
bool library_is_libc(const char *path);

#endif
