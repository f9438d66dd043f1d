/* How the processes of a run ended, in words: for a crash with the function that it happened in. */
#ifndef FISQL_CLI_RUN_ENDING_H
#define FISQL_CLI_RUN_ENDING_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* "exit status 0", "killed by SIGSEGV in boom (c.c:2)", "end not known": of the row of processes
 * with that id. The call is the innermost one open in the process's thread that recorded last;
 * where several threads had calls open it says "probably". Names are as in the database: they are
 * to be shown by text.h. */
void ending_text(sqlite3 *database, int64_t process_id, char *text, size_t size);

enum { ENDING_TEXT_BYTES = 512 };

/* The innermost call that is open at the process's end, as above; 0 = none. */
int64_t ending_call(sqlite3 *database, int64_t process_id);

/* A process that a signal ended, after the one with the id `after` (0 = the first): its id, 0 where
 * there is none. */
int64_t ending_next_killed(sqlite3 *database, int64_t after);

#endif
