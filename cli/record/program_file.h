/* What the file of a program says about whether it can be recorded. */
#ifndef FISQL_CLI_RECORD_PROGRAM_FILE_H
#define FISQL_CLI_RECORD_PROGRAM_FILE_H

#include <stdbool.h>

struct program_file {
    bool known;            /* an ELF program that could be read */
    bool machine_same;     /* as ours */
    bool fixed;            /* it is loaded where its file says, not elsewhere */
    bool is_static;        /* no dynamic linker starts it */
    bool hooks;            /* its symbols name the hooks */
    bool collector;        /* it holds the collector itself (libfisql.a) */
    bool sleds;            /* it has room for jumps at functions' starts (fisql cc --sleds) */
    bool emulator;         /* it runs another machine's programs, with the collector in them */
    bool own_asan_options; /* defines __asan_default_options(), in place of the collector's */
};

/* Looks at a program, named as for execvp(). */
void program_file_look(struct program_file *file, const char *program);

#endif
