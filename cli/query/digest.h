/*
 * The digest: what matters of a run on one screen. Where processor time goes, where threads wait,
 * what is allocated and not freed, errors and losses, and dead code in numbers; then the
 * worst findings (verdicts.h), each with what it would save and the command that shows more, what
 * was checked, and what was not.
 */
#ifndef FISQL_CLI_QUERY_DIGEST_H
#define FISQL_CLI_QUERY_DIGEST_H

#include <sqlite3.h>
#include <stdio.h>

/* Writes the digest of the database to `out`; its commands name the database by `path`. It is of
 * own code, and the connection stays folded (own_code.h). Returns 0, or 2 after saying what is
 * wrong. */
int digest_print(sqlite3 *database, const char *path, FILE *out);

/* Opens the database and prints its digest on stdout. Returns the exit status of `fisql digest`. */
int digest_of_file(const char *path);

#endif
