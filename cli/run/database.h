/* Opening a run's database for reading. */
#ifndef FISQL_CLI_RUN_DATABASE_H
#define FISQL_CLI_RUN_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Opens a database that `fisql load` made, read-only. Returns NULL after saying on stderr what is
 * wrong and what to do. Close it with sqlite3_close(). */
sqlite3 *database_open(const char *path);

/* The same with little memory, whatever the size of the run: large sorts use temporary files. */
sqlite3 *database_open_sparing(const char *path);

/* Opens it to change rows of its tables. No trigger of the file runs. Returns NULL after saying what
 * is wrong, also if the file may only be read. */
sqlite3 *database_open_to_change(const char *path);

/* Says on stderr that a change failed, and what to do about it. Returns 2. */
int database_change_failed(sqlite3 *database, const char *path);

/* Says on stderr if the run is not complete, and if its log is newer than the database. Returns the
 * number of losses. */
long long database_say_state(sqlite3 *database, const char *path);

/* Do the frames form a tree, each with a larger id than its parent, as a load makes them? Walks in
 * them rely on it. Returns 0, or 2 after saying what is wrong. */
int database_check_frames(sqlite3 *database);

/* Keeps the file locked for reading from the next statement until the connection closes: otherwise
 * each statement locks it anew, by several system calls, which take longer than a look-up. */
void database_hold(sqlite3 *database);

/* SQL that counts the processes: a row of `processes` is an image, and exec makes no new
 * process. */
#define DATABASE_PROCESSES                                                                         \
    "(SELECT count(*) FROM processes WHERE origin IS NOT 'exec' OR parent_id IS NULL)"

/* SQL: was anything left out while the program ran (by `fisql control` and the like)? */
#define DATABASE_LIMITED "SELECT EXISTS (SELECT 1 FROM main.recording_limits)"

/* SQL: do some calls have no times (record --time sampled)? */
#define DATABASE_SAMPLED                                                                           \
    "SELECT EXISTS (SELECT 1 FROM main.run WHERE key = 'options'"                                  \
    " AND instr(',' || value || ',', ',sampled,') > 0)"

/* SQL: the tool whose trace the run is; no row: it was recorded here. */
#define DATABASE_SOURCE "SELECT value FROM main.run WHERE key = 'source'"

/* Looking up one row: ask, bind, read. Whatever fails is said on stderr and noted for the command's
 * status (base/shortage.h); the row then counts as none. Takes NULL as a statement. */

/* The statement; NULL if it cannot be made. The caller, or one of the last two functions, finalizes
 * it. */
sqlite3_stmt *database_ask(sqlite3 *database, const char *sql);
/* Is there a row? */
bool database_row(sqlite3_stmt *statement);
/* The first column of the first row, and the end of the statement. The caller frees the text; no
 * row or NULL: NULL. */
char *database_text(sqlite3_stmt *statement);
int64_t database_integer(sqlite3_stmt *statement, int64_t otherwise);

/* Says and notes that the last statement failed: with the name of the database that is damaged, or
 * of both where two are attached and that cannot be told. */
void database_failed(sqlite3 *database);

/* The same, returning 2; `what` names the rows that it reads. */
int database_fail(sqlite3 *database, const char *what);

/* Did the last statement fail for a fault of the file, not of the statement? */
bool database_is_unreadable(sqlite3 *database);

/* The command's status: 2 if anything was said to fail here. Much goes on after a failed look-up, so
 * main() asks for each command. */
int database_status(int status);

/* Forgets it, where one process answers many questions. Each thread has its own. */
void database_forget(void);

/* The number of the column of this name; -1 = there is none. */
int database_column(sqlite3_stmt *row, const char *name);

/* The text of a column, until the next step; NULL = it is NULL, or no memory, which is noted. */
const char *database_shown(sqlite3_stmt *row, int column);

/* A copy of it, which the caller frees. */
char *database_copy(sqlite3_stmt *row, int column);

/* Begins a statement that reads many rows; `what` names them ("the calls"). Returns 0, or 2 after
 * saying that it cannot be made. */
int database_rows(sqlite3 *database, const char *sql, const char *what, sqlite3_stmt **statement);

/* Ends it early, for want of memory. Says so and returns 2. */
int database_rows_short(sqlite3_stmt *statement);

/* Ends a statement after its rows were read; `what` names them ("the calls"). Returns 0, or 2 after
 * saying that the last step failed: the rows read so far are not all. */
int database_rows_end(sqlite3_stmt *statement, const char *what);

/* Is the file a log, which has to be loaded first? */
bool database_is_log(const char *path);

#endif
