/* --only and --exclude of `fisql record`: from patterns to the addresses by which the collector
 * filters. */
#ifndef FISQL_CLI_RECORD_RECORD_FILTER_H
#define FISQL_CLI_RECORD_RECORD_FILTER_H

#include "cli/record/record_options.h"

/* Finds the functions of the program and its libraries whose name or file matches a pattern, and
 * sets options->filter to their addresses (collector/core/filter.c has its form). Does nothing
 * without patterns. Returns 0, or 2 after saying what is wrong, or that no function matches. */
int record_filter_make(struct record_options *options, const char *program);

/* What is known of a run whose filter changes. */
struct record_running {
    const struct fisql_late *late; /* has the modules that are patched; NULL = not known */
    bool library_calls;            /* are recorded */
};

/* Makes the same text for the functions of the modules at these paths, which are to be recorded
 * (only) or left out. The caller frees it in any case. Returns 0, or 2 after saying what is
 * wrong. */
int record_filter_modules(const char *const *paths, size_t paths_count,
                          const struct record_running *running,
                          const struct record_patterns *patterns, bool only, char **text,
                          size_t *size_bytes);

/* The same for --threads: the patterns, and the functions that match one
 * (collector/core/thread_choice.c has the form). That no function matches is no error, for a thread
 * may have the name. record_threads_make() sets options->threads.text. */
int record_threads_make(struct record_options *options, const char *program);
int record_threads_modules(const char *const *paths, size_t paths_count,
                           const struct record_patterns *patterns, char **text, size_t *size_bytes);

#endif
