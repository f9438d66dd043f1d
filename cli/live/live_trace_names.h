/* The functions of running programs, by their addresses, for `fisql trace --follow`. */
#ifndef FISQL_CLI_LIVE_LIVE_TRACE_NAMES_H
#define FISQL_CLI_LIVE_LIVE_TRACE_NAMES_H

#include "base/intern.h"
#include "cli/live/live_trace.h"
#include "live/live_names.h"

#include <limits.h>

#define TRACE_PROCESSES_MAX 64u

struct trace_function {
    char *name;     /* its name, and "file.c:12" behind a NUL; NULL without memory */
    unsigned level; /* of a scope; 0 = it has none */
    bool wanted;    /* its name matches the pattern */
};

struct trace_names {
    const struct live_trace_options *options;
    char cache[PATH_MAX];
    struct symbols_options
        symbols; /* its folder is `cache`: a process's names are read on demand */
    struct live_points *points;
    struct trace_process {
        uint64_t key;
        struct live_names *names; /* NULL = it was gone */
    } processes[TRACE_PROCESSES_MAX];
    size_t processes_next;
    struct trace_function *functions;
    size_t count, capacity;
    struct intern of_address; /* (process_key, address) */
};

/* log: as for live_points_open(). Returns 0, or 2 after saying that memory ran out. */
int trace_names_open(struct trace_names *names, const struct live_trace_options *options,
                     const char *log, uint64_t run_id);
void trace_names_close(struct trace_names *names);

/* Forgets functions if there are very many: their numbers change. */
void trace_names_trim(struct trace_names *names);

/* The number of a function of a process in `functions`; UINT32_MAX without memory. */
uint32_t trace_names_find(struct trace_names *names, uint64_t process_key, uint32_t pid,
                          uint64_t address);

/* The text behind a function's name. */
const char *trace_function_place(const struct trace_function *function);

#endif
