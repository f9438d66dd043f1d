/* --only and --exclude of `fisql record`: from patterns to the addresses that the collector filters
 * by. */
#ifndef FISQL_CLI_RECORD_RECORD_FILTER_H
#define FISQL_CLI_RECORD_RECORD_FILTER_H

#include "cli/record/record_options.h"

/* Finds the functions of the program and the libraries it is linked with whose name or file matches
 * one of the patterns, and sets options->filter to their addresses (collector/core/filter.c has its
 * form). Does nothing without patterns. Returns 0, or 2 after saying on stderr what is wrong; that
 * no function matches is an error. */
int record_filter_make(struct record_options *options, const char *program);

/* The same text for the functions of modules at these paths that match one of the patterns, which are to be
 * recorded (only) or to be left out; freed by the caller in any case. 0, or 2 after saying what is wrong. */
int record_filter_modules(const char *const *paths, size_t paths_count,
                          const struct record_patterns *patterns, bool only, char **text,
                          size_t *size_bytes);

#endif
