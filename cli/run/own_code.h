/*
 * The user's own code: functions of system headers and of libraries without hooks (functions.own =
 * 0) are folded into the nearest own caller, so that what they took and allocated counts as its own.
 *
 * Nothing of the database changes. Temporary tables and views go before those of the same name:
 *
 *   frames                  contexts that lie alike among own functions become one. Self times and
 *                           memory are summed over a context and what was folded into it, so that
 *                           their sums stay; calls, totals and statistics are of its own calls
 *   function_stats, edges   made of these. An own function that a system's function called has its
 *                           edges by contexts, from the place in own code that led there
 *   calls, allocs, alloc_stacks, block_flows, alloc_owners, free_errors
 *                           the rows there are, with the contexts that they became part of and,
 *                           where the allocation was made in a folded one, the site in own code
 *   recorded_calls          the calls as they were recorded
 *   thread_functions        a function's rows with what became of it. It does not say which functions called
 *                           whom: of what was folded into a function that several threads called,
 *                           each has a part by its calls
 *   functions               of the system's, only what was called counts as instrumented
 *   slow_calls, durations, intervals, recursions, call_sequences, callee_runs, callee_transitions
 *                           without rows of folded functions
 *
 * A context without any own one around it stays as it is. Where no call of the database is of the
 * system's, nothing is done.
 */
#ifndef FISQL_CLI_RUN_OWN_CODE_H
#define FISQL_CLI_RUN_OWN_CODE_H

#include <sqlite3.h>
#include <stdbool.h>

/* Folds. *folded becomes whether there was anything to fold. Returns 0, or fail()'s status after
 * saying what is wrong. */
int own_code_fold(sqlite3 *database, bool *folded);

/* Does a name or pattern mean functions, and none of them own? Then a question about it wants all
 * code. */
bool own_code_none_named(sqlite3 *database, const char *pattern);

#endif
