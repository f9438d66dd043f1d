/* Opening a run's database for reading. */
#ifndef FISQL_CLI_DATABASE_H
#define FISQL_CLI_DATABASE_H

#include <sqlite3.h>

/* Opens a database that `fisql load` made, read-only. Returns NULL after saying on stderr what is
 * wrong and what to do. Close it with sqlite3_close(). */
sqlite3 *database_open(const char *path);

/* Says on stderr, in one line, if the run is not complete, and if its log is newer than the
 * database. Returns the number of losses. */
long long database_say_state(sqlite3 *database, const char *path);

#endif
