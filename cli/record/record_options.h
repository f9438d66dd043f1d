/* The options of `fisql record`. */
#ifndef FISQL_CLI_RECORD_RECORD_OPTIONS_H
#define FISQL_CLI_RECORD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/record/record_pattern.h"
#include "debuginfo/expressions/expressions.h"
struct fault_rule;

#define RECORD_STRING_MAX 64u        /* bytes of a text, by default */
#define RECORD_WITHOUT 512u          /* bytes of such a text */
#define RECORD_VALUES_WAIT_MS 10000u /* a child program waits so long for its recipes */

/* What --values and the like ask for. */
struct record_values {
    bool wanted;
    bool
        system_calls; /* the results of the C library's system calls alone, if no others are wanted */
    bool functions;   /* --values was given: */
    struct record_patterns patterns; /* none = all functions */
    struct expressions expressions;  /* of --value */
    bool no_results;
    bool quiet;          /* report only what is wrong or lost */
    uint32_t string_max; /* bytes of a text; 0 = default */
    uint32_t exit_bytes; /* of --at-exit; 0 = it was not given */
    uint32_t wait_ms;    /* a child program waits so long for its recipes; 0 = not at all */
    bool wait_given;
    char *image;   /* the program's file, which declares what it calls elsewhere; NULL = none */
    char *recipes; /* in the form of formats/recipe.h; NULL = none */
    size_t recipes_bytes;
    char without[RECORD_WITHOUT]; /* a module that is recorded as it is, and why without values */
};

/* What --fault and --faults ask for (record_faults.h). */
struct record_faults {
    struct fault_rule *rules;
    size_t rules_count, rules_room;
    bool library_calls;  /* some rules fail calls of the C library */
    char *area;          /* in the form of formats/fault.h, but for the counts; NULL = none */
    size_t area_bytes;   /* without the counts */
    uint64_t room_bytes; /* with them */
};

/* What --level asks for. */
struct record_levels {
    uint8_t functions, values;
};

/* What --threads asks for. */
struct record_threads {
    struct record_patterns patterns; /* none = all threads */
    char *text;                      /* as collector/core/thread_choice.c reads it; NULL = none */
    size_t text_bytes;
};

/* What --say, --summary-at and, of `fisql run`, --open ask for. */
struct record_summary {
    bool say; /* print at once what macros say */
    bool at_thread_exit, at_exit;
    int signal; /* 0 = none */
    bool open;  /* the run in the browser */
};

/* What --libs, --library-calls, --plugin and --budget ask for. */
struct record_libs {
    struct record_patterns patched; /* libraries of the system */
    bool calls;                     /* record calls of functions in libraries, ... */
    struct record_patterns called;  /* ... of these names; none = all */
    double budget;      /* the part of its own time that recording a program may take; 0 = any */
    const char *plugin; /* that processes load at their start; NULL = none */
};

/* What -p and --for ask for. */
struct record_attach {
    int32_t pid;      /* of a process that runs already; 0 = none */
    uint64_t for_ns;  /* 0 = until a signal ends it */
    const char *root; /* what its paths begin with here, borrowed; NULL = nothing */
};

/* What --history and --on-assert ask for. */
struct record_incidents {
    uint32_t history;   /* calls of each thread in a report; 0 = default */
    uint32_t on_assert; /* enum fisql_on_assert */
};

/* What --ring and --rotate keep. */
struct record_kept {
    uint32_t ring_chunks; /* of each thread; 0 = all */
    uint64_t log_bytes;   /* a log that is longer is replaced by a new one; 0 = none is */
    uint32_t logs;        /* so many logs are kept beside the newest one */
};

/* Which calls are timed. */
enum record_time { RECORD_TIME_FULL, RECORD_TIME_SAMPLED, RECORD_TIME_NONE };

struct record_options {
    const char *log; /* borrowed from argv */
    bool quiet, no_alloc, start_off;
    enum record_time time;
    bool no_waits, no_compress;
    bool reference; /* run the program again without the collector (reference.h) */
    uint32_t locks; /* 1: --locks, 2: --locks=all */
    /* 1: patch modules without hooks, 2: those with hooks, too; 0: --no-patch; FISQL_AS_IS_GUEST */
    uint32_t as_is;
    struct record_libs libs;
    uint32_t depth;
    uint64_t min_duration_ns;
    struct record_kept kept;
    struct record_incidents incidents;
    struct record_attach attach;
    struct record_levels levels;
    struct record_threads threads;
    struct record_summary summary;
    bool only; /* patterns say what to record, not what to leave out */
    struct record_patterns patterns;
    char *filter; /* matching functions, as collector/core/filter.c reads them; NULL = none */
    size_t filter_bytes;
    struct record_values values;
    struct record_faults faults;
};

/* Parses argv; argv[0] is "record" or "run". Returns ARGS_GO_ON with the index of the program in
 * *program (with -p there is none), or the exit status after printing help or saying what is wrong. */
int record_options_parse(struct record_options *options, int argc, char **argv, int *program);

/* The options in the form of FISQL_OPTIONS, for the collector. */
void record_options_text(const struct record_options *options, char *text, size_t size);

void record_options_release(struct record_options *options);

#endif
