/* --fault of `fisql record`: from rules to the area by which the collector makes calls fail
 * (formats/fault.h), and what became of them. */
#ifndef FISQL_CLI_RECORD_RECORD_FAULTS_H
#define FISQL_CLI_RECORD_RECORD_FAULTS_H

#include "cli/record/live.h"
#include "cli/record/record_options.h"

/* Adds a rule, or those of a file, one a line; empty lines and those that begin with # say nothing. Return 0,
 * or 2 after saying what is wrong. */
int record_faults_add(struct record_faults *faults, const char *text);
int record_faults_read(struct record_faults *faults, const char *path);

/* Finds what the rules name in the program and the libraries it is linked with, and makes the area. Does
 * nothing where there are no rules. string_max: of --values, 0 = these are not wanted. Returns 0, or 2 after
 * saying what is wrong. */
int record_faults_make(struct record_faults *faults, const char *program, uint32_t string_max);

/* The rules as a fact of the log; caller frees. NULL without rules or memory. */
char *record_faults_text(const struct record_faults *faults);

/* After the run: how often each rule struck, as a fact; says which never did. */
void record_faults_append(const struct record_faults *faults, struct live *live, bool quiet);

void record_faults_release(struct record_faults *faults);

#endif
