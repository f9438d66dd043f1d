/*
 * SQL functions for the queries on runs' databases (queries/push/) and on rows gathered from many
 * runs (queries/fleet/):
 *
 *   file_name(path)        its last part
 *   stable(text)           functions.stable_id (16 hexadecimal digits) as an integer, never 0
 *   log2_fixed(ns)         65536 * log2(ns + 1), rounded: integers add up equally on every engine
 *   fixed_exp2(fixed)      the inverse of log2_fixed
 *   separated_p(n1, n2)    the probability that in a random order of n1 + n2 values the n1 of one
 *                          kind are all the least or all the greatest: 2 / (n1 + n2 over n1)
 *   welch_p(...)           see cli/diff/compare.h
 *   significant(p)         rounded to three significant digits
 *   stack_parent(stack)    the stack without its innermost function, NULL if that was the only one
 */
#ifndef FISQL_CLI_FLEET_FUNCTIONS_H
#define FISQL_CLI_FLEET_FUNCTIONS_H

#include <sqlite3.h>
#include <stdint.h>

/* Returns SQLITE_OK, or SQLite's error code. */
int fleet_functions_add(sqlite3 *database);

/* The SQL function stable(). Hashes text that is no such number. */
int64_t fleet_stable(const char *text);

#endif
