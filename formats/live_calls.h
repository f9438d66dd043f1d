/*
 * Which functions a program's callbacks mean (fisql_on_call() in fisql.h). The collector knows no
 * names: a process asks by a pattern and a module, and `fisql record` answers with the addresses of
 * the matching functions, at the end of the live area's file. An entry stays, because another
 * process will ask the same.
 */
#ifndef FISQL_FORMATS_LIVE_CALLS_H
#define FISQL_FORMATS_LIVE_CALLS_H

#include "formats/live.h"

#define FISQL_CALLS_MAX 512u
#define FISQL_CALLS_PATTERN_MAX 256u
#define FISQL_CALLS_PLUGIN_MAX 4096u

struct fisql_call_names {
    uint32_t state; /* atomic, futex: enum fisql_late_state */
    uint32_t own;   /* the module is the program or a library of its own */
    /* the question: a module's file, as the asking process sees it, and a pattern */
    uint64_t device, inode;
    char path[FISQL_LATE_PATH_MAX]; /* ends with NUL, as the pattern does */
    char pattern[FISQL_CALLS_PATTERN_MAX];
    uint32_t functions; /* the answer: how many match, and ... */
    /* ... where their code begins, uint64_t, as in the module's file; 0 bytes = nowhere */
    struct fisql_live_part addresses;
};

struct fisql_calls {
    struct fisql_mailbox mailbox;
    char plugin[FISQL_CALLS_PLUGIN_MAX]; /* of `fisql record --plugin`: an absolute path, or "" */
    struct fisql_call_names names[FISQL_CALLS_MAX];
};

#endif
