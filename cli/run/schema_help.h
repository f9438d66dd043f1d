/* What the tables and views of a run's database are, by subject, and what a table's columns mean. */
#ifndef FISQL_CLI_RUN_SCHEMA_HELP_H
#define FISQL_CLI_RUN_SCHEMA_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SCHEMA_NAMES_MAX 256
#define SCHEMA_NAME_BYTES 64

/* Writes all of them, a line each, broken at so many columns; those first that most questions
 * need. */
void schema_help_all(int columns, FILE *out);

/* Writes the definition of one, with its comments; false if there is none of that name. */
bool schema_help_one(const char *name, FILE *out);

/* Their names, in the order of the schema. Returns how many. */
size_t schema_help_names(char names[SCHEMA_NAMES_MAX][SCHEMA_NAME_BYTES]);

#endif
