/*
 * The user's own code: functions of system headers and of libraries without hooks (functions.own =
 * 0) are folded into the nearest own caller, so their time and allocations count as the caller's.
 *
 * The database itself does not change. Temporary tables and views hide those of the same name:
 *
 *   frames                  contexts that are alike among own functions become one. Self times and
 *                           memory are summed over a context and what was folded into it, so that
 *                           their sums stay; calls, totals and statistics are of its own calls
 *   function_stats, edges   made of these. An own function that a system's function called has its
 *                           edges by contexts, from the place in own code that led there
 *   all others with a column *frame_id: calls, gaps, allocs, lock_waits, incidents, ...
 *                           the same rows with their new contexts, and with the site in own code
 *                           if it happened in a folded context
 *   recorded_calls, recorded_frames
 *                           the calls and contexts as they were recorded
 *   thread_functions        a function's rows with its new sums. Threads share folded time in
 *                           proportion to their calls, as the table has no callers
 *   functions               of the system's, only those that were called count as instrumented
 *   slow_calls, durations, intervals, recursions, call_sequences, callee_runs, callee_transitions
 *                           without rows of folded functions
 *
 * A context without an own one around it stays. If no recorded call is of the system's, nothing is
 * done.
 */
#ifndef FISQL_CLI_RUN_OWN_CODE_H
#define FISQL_CLI_RUN_OWN_CODE_H

#include <sqlite3.h>
#include <stdbool.h>

/* Folds. *folded: there was something to fold. Returns 0, or 2 after saying what is wrong. */
int own_code_fold(sqlite3 *database, bool *folded);

/* Does a name or pattern mean functions, but no own one? A question about it then wants all
 * code. */
bool own_code_none_named(sqlite3 *database, const char *pattern);

/* Were calls of libraries recorded on their own (record --library-calls)? */
bool own_code_has_external(sqlite3 *database);

#endif
