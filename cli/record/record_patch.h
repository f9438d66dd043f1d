/* Recording of programs as they are: which modules `fisql record` has patched, and how. */
#ifndef FISQL_CLI_RECORD_RECORD_PATCH_H
#define FISQL_CLI_RECORD_RECORD_PATCH_H

#include "cli/record/live.h"
#include "cli/record/record_options.h"
#include "formats/live.h"

#include <stddef.h>
#include <stdint.h>

#define PATCH_SUMMARY_NAMES 512

/* What was patched in the run. Counts are those of one process for each module. */
struct patch_summary {
    uint64_t functions, hooked;      /* of the programs' own modules */
    uint64_t linked;                 /* functions of libraries whose calls are recorded */
    uint32_t modules;                /* that were patched */
    uint32_t skipped;                /* libraries that were not, because nobody asked for them */
    char names[PATCH_SUMMARY_NAMES]; /* of the first of these, separated by commas */
    char problem[256];               /* why a module could not be; empty = all could */
    char without[RECORD_WITHOUT];    /* a module that came later, and why without values */
};

/* Is a module of this program (paths) to be patched, unless it calls the hooks? */
bool record_patch_takes(const struct record_options *options, const char *program,
                        const char *path);

/* The plan of a module that a process asks for, NULL if it is not to be patched; *bytes: its size.
 * The caller frees it. Counts the module in the summary. */
void *record_patch_plan(const struct record_options *options,
                        const struct fisql_late_module *module, struct patch_summary *summary,
                        uint64_t *bytes);

/* Adds how many functions of an answered module were patched. */
void patch_summary_add(struct patch_summary *summary, const struct fisql_late_module *module);

/* Writes into the log what recording programs as they are leaves out. */
void patch_summary_append(const struct patch_summary *summary, struct live *live,
                          const struct record_options *options);

/* Says it on stderr. */
void patch_summary_say(const struct patch_summary *summary, const struct record_options *options,
                       const char *program);

#endif
