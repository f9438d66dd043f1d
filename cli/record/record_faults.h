/* --fault of `fisql record`: from rules to the area by which the collector makes calls fail
 * (formats/fault.h), and what became of them. */
#ifndef FISQL_CLI_RECORD_RECORD_FAULTS_H
#define FISQL_CLI_RECORD_RECORD_FAULTS_H

#include "cli/record/live.h"
#include "cli/record/record_options.h"

/* Add a rule, or those of a file, one a line; empty lines and those that begin with # are skipped.
 * Return 0, or 2 after saying what is wrong. */
int record_faults_add(struct record_faults *faults, const char *text);
int record_faults_read(struct record_faults *faults, const char *path);

/* Finds what the rules name in the program and its libraries, and makes the area. Does nothing
 * without rules. string_max: of --values, 0 = no values. Returns 0, or 2 after saying what is
 * wrong. */
int record_faults_make(struct record_options *options, const char *program, uint32_t string_max);

/* The rules as a fact of the log; caller frees. NULL without rules or memory. */
char *record_faults_text(const struct record_faults *faults);

/* After the run: appends a fact that says how often each rule struck. Names the rules that never
 * did. */
void record_faults_append(const struct record_faults *faults, struct live *live, bool quiet);

void record_faults_release(struct record_faults *faults);

#endif
