/*
 * What would be loaded if a program were run, found without running it: the program's ELF file (of
 * a script: its interpreter's) and its libraries. We run only the dynamic linker that the file
 * names, with --list: it looks where it would look for the program, and calls nothing that it
 * finds. A static program has no libraries.
 */
#ifndef FISQL_CLI_RECORD_RECORD_LIBRARIES_H
#define FISQL_CLI_RECORD_RECORD_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

/* The file that execvp() would run; false with errno if there is none that may be run. */
bool program_find(const char *program, char *path, size_t size);

/* The real path of the ELF file that runs when the program is run, in `path` of PATH_MAX bytes.
 * False if there is none, or it is neither an ELF file nor a script. */
bool program_image(const char *program, char *path);

/* Calls each() with the path of the image, then of every library (of glibc if wanted), until it returns other
 * than 0. Returns that, or 2 after saying why the libraries cannot be known. */
int program_modules(const char *image, bool glibc, int (*each)(void *context, const char *path),
                    void *context);

/* Is it glibc? Its hooks do nothing; they are for programs without a tracer. It is not
 * instrumented, and reading its debug information, if installed, takes most of a second. */
bool library_is_libc(const char *path);

#endif
