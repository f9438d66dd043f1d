/*
 * SQL functions that the queries of many runs use, on runs' databases (queries/push/) and on what was
 * gathered of many (queries/fleet/):
 *
 *   file_name(path)        its last part
 *   stable(text)           functions.stable_id, sixteen hexadecimal digits, as an integer that is not 0
 *   log2_fixed(ns)         65536 * log2(ns + 1), rounded: integers add up to the same on every engine
 *   fixed_exp2(fixed)      the other way round
 *   separated_p(n1, n2)    probability that of n1 + n2 values in random order the n1 of one kind are the
 *                          least or the greatest: 2 / (n1 + n2 over n1)
 *   welch_p(...)           as cli/diff/compare.h has it
 *   significant(p)         rounded to three significant digits
 *   stack_parent(stack)    the stack without its innermost function, NULL for one
 */
#ifndef FISQL_CLI_FLEET_FUNCTIONS_H
#define FISQL_CLI_FLEET_FUNCTIONS_H

#include <sqlite3.h>
#include <stdint.h>

/* Returns SQLITE_OK, or SQLite's error code. */
int fleet_functions_add(sqlite3 *database);

/* What stable() gives. Text that is no such number gets a hash of it. */
int64_t fleet_stable(const char *text);

#endif
