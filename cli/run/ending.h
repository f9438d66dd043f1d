/* How the processes of a run ended, in words; a crash with its function. */
#ifndef FISQL_CLI_RUN_ENDING_H
#define FISQL_CLI_RUN_ENDING_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* The end of a row of processes: "exit status 0", "killed by SIGSEGV in boom (c.c:2)", "end not
 * known". The call is the innermost one open in the thread of the process that recorded last;
 * "probably", if several threads had calls open. Names are as in the database: show them by
 * text.h. */
void ending_text(sqlite3 *database, int64_t process_id, char *text, size_t size);

enum { ENDING_TEXT_BYTES = 512 };

/* The innermost call open at the process's end, as above; 0 = none. */
int64_t ending_call(sqlite3 *database, int64_t process_id);

/* The id of the next process that a signal ended, after the id `after` (0 = from the first); 0 =
 * none. */
int64_t ending_next_killed(sqlite3 *database, int64_t after);

#endif
