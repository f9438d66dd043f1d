/*
 * Comparing two runs. The second database is attached to the first one's connection as `other`, and
 * the functions of both are matched by name and file, so that a rebuilt program compares: temporary
 * tables a and b have a row for each function that was called, with the same (name, file) for the
 * same function. If its file was renamed, its name alone matches it if that is unique in both runs.
 */
#ifndef FISQL_CLI_DIFF_COMPARE_H
#define FISQL_CLI_DIFF_COMPARE_H

#include "cli/run/names.h"

#include <sqlite3.h>

/* Columns of the temporary tables a and b: name, file, location, calls, total_ns, self_ns, cpu_ns,
 * self_cpu_ns, wait_ns, self_wait_ns, finished, mean_ns, m2, max_ns, hooks_ns (time of hooks in a
 * call), allocs, alloc_bytes, mapped (its module in the map of `fisql modules`, NULL = none),
 * library (its program or library). Also registers the SQL functions
 *
 *   welch_p(n1, mean1, m2_1, n2, mean2, m2_2)   see compare_welch_p; NULL if unknown
 *
 * and makes the temporary table ranks(name, file, z, p): the rank-sum test on the histograms of the
 * calls' durations, z > 0 if B's take longer; noise, one row with what both runs differ by without a
 * reason; and the view pairs of functions (compare.sql). In it, `module` is that of B's map, else of
 * A's, else the library.
 *
 * Returns the connection, or NULL after saying what is wrong. Close it with sqlite3_close(). */
sqlite3 *compare_open(const char *a_path, const char *b_path, enum name_style style);

/* The same on a connection that is open, of `a_path`. Returns 0, or 2 after saying what is wrong; it
 * stays open. */
int compare_attach(sqlite3 *database, const char *a_path, const char *b_path,
                   enum name_style style);

/* The probability that two samples with means this far apart or farther come from distributions of
 * one mean: Welch's t-test, two-sided (Welch 1947). n: sizes, m2: sums of squared deviations.
 * Negative if unknown (fewer than two of one). */
double compare_welch_p(double n1, double mean1, double m2_1, double n2, double mean2, double m2_2);

#endif
