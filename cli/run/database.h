/* Opening a run's database for reading. */
#ifndef FISQL_CLI_RUN_DATABASE_H
#define FISQL_CLI_RUN_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Opens a database that `fisql load` made, read-only. Returns NULL after saying on stderr what is
 * wrong and what to do. Close it with sqlite3_close(). */
sqlite3 *database_open(const char *path);

/* The same, for little memory whatever the run's size: what is sorted goes to temporary files where it is
 * large. */
sqlite3 *database_open_sparing(const char *path);

/* Says on stderr, in one line, if the run is not complete, and if its log is newer than the
 * database. Returns the number of losses. */
long long database_say_state(sqlite3 *database, const char *path);

/* Do the frames form a tree, each with a larger id than its parent, as a load makes them? What
 * walks up and down in them relies on it. Returns 0, or fail()'s status after saying what is wrong.
 */
int database_check_frames(sqlite3 *database);

/* Keeps the file locked for reading from the next statement on, until the connection is closed: else
 * each statement locks it anew, by several system calls, which takes longer than a look-up. */
void database_hold(sqlite3 *database);

/* SQL that counts the processes: rows of `processes` are images, and exec makes no new process. */
#define DATABASE_PROCESSES                                                                         \
    "(SELECT count(*) FROM processes WHERE origin IS NOT 'exec' OR parent_id IS NULL)"

/* SQL: was something left out while the program ran (fisql control and the like)? */
#define DATABASE_LIMITED "SELECT EXISTS (SELECT 1 FROM main.recording_limits)"

/* Looking up one row: ask, bind, read. Whatever fails is said on stderr and noted for the command's status
 * (base/shortage.h); the row then counts as none. Takes NULL as a statement. */

/* The statement; NULL if it cannot be made. The caller, or one of the last two functions, finalizes it. */
sqlite3_stmt *database_ask(sqlite3 *database, const char *sql);
/* Is there a row? */
bool database_row(sqlite3_stmt *statement);
/* The first column of the first row, and the end of the statement. The caller frees the text; no row or NULL: NULL. */
char *database_text(sqlite3_stmt *statement);
int64_t database_integer(sqlite3_stmt *statement, int64_t otherwise);

/* Ends a statement whose rows were read, `what` ("the calls"). Returns 0, or fail()'s status after
 * saying that the last step met an error: the rows read before it are then not all there are. */
int database_rows_end(sqlite3_stmt *statement, const char *what);

#endif
