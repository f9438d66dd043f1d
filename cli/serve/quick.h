/* Answers from a connection to the database that is kept open, for what takes milliseconds. */
#ifndef FISQL_CLI_SERVE_QUICK_H
#define FISQL_CLI_SERVE_QUICK_H

#include "cli/serve/reply.h"

/* A quick answer from a connection that is kept open. It ends after some seconds, or when its client
 * has gone. */
struct quick {
    struct request *request;
    struct answer answer;
    sqlite3 *database;
    const char *problem; /* why there is no answer; a literal; NULL = none */
    bool passes;         /* the problem does: there may be an answer later */
    int64_t deadline_ms;
};

/* Returns whether there is a connection; if not, quick_end() says why. */
bool quick_begin(struct quick *quick, struct request *request);
enum MHD_Result quick_end(struct quick *quick);

/* Gives the connection back before the answer is whole, which then needs none. */
void quick_release(struct quick *quick);

/* Ends it without an answer. */
void quick_drop(struct quick *quick);

/* Is there time left, and a client? Asked between statements: within one, SQLite asks. Notes the
 * problem if not. */
bool quick_goes_on(struct quick *quick);

/* Notes the problem that the connection has, unless there was one before. */
void quick_note(struct quick *quick);

/* The statement; NULL, noting the problem, if it cannot be made. */
sqlite3_stmt *quick_prepare(struct quick *quick, const char *sql);

/* Steps, noting a problem. Takes NULL. Is there a row? */
bool quick_row(struct quick *quick, sqlite3_stmt *statement);

/* Writes "key": [{...}, ...] with the statement's rows, and finalizes it. Takes NULL. */
void quick_rows(struct quick *quick, const char *key, sqlite3_stmt *statement);

#endif
