/* A statement of the user's: sql. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/api.h"

#include "base/memory_text.h"
#include "cli/ask/ask.h"
#include "cli/out/say.h"
#include "cli/serve/watch.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 1000, ROWS_MOST = 100000, SECONDS = 10, SECONDS_MOST = 3600 };
#define BYTES_MOST ((size_t)8 << 20) /* of the rows */

/* What the body says. */
struct wish {
    char *sql; /* owned */
    int64_t limit, seconds;
};

/* SQLite reads JSON for us. False: it is not what is wanted. */
static bool read_body(const struct request *request, struct wish *wish)
{
    sqlite3 *reader = NULL;
    sqlite3_stmt *row = NULL;
    bool sound = false;
    *wish = (struct wish){.sql = NULL};
    if (sqlite3_open(":memory:", &reader) == SQLITE_OK &&
        sqlite3_prepare_v2(
            reader,
            "SELECT json_extract(?1, '$.sql'), coalesce(json_extract(?1, '$.limit'), ?2),"
            " coalesce(json_extract(?1, '$.seconds'), ?3) WHERE json_valid(?1)",
            -1, &row, NULL) == SQLITE_OK) {
        sqlite3_bind_text(row, 1, request->body, (int)request->body_length, SQLITE_STATIC);
        sqlite3_bind_int(row, 2, ROWS);
        sqlite3_bind_int(row, 3, SECONDS);
        if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_type(row, 0) == SQLITE_TEXT) {
            wish->sql = strdup((const char *)sqlite3_column_text(row, 0));
            wish->limit = sqlite3_column_int64(row, 1);
            wish->seconds = sqlite3_column_int64(row, 2);
            sound = wish->sql != NULL && wish->limit >= 0 && wish->limit <= ROWS_MOST &&
                    wish->seconds >= 1 && wish->seconds <= SECONDS_MOST;
        }
    }
    if (sqlite3_finalize(row) == SQLITE_NOMEM)
        sound = false;
    sqlite3_close(reader);
    return sound;
}

static const char *end_word(enum ask_end end)
{
    return end == ASK_COUNTED_ENOUGH ? "bounded" : end == ASK_LATE ? "late" : "done";
}

/* Asks, with what it says going to `said`. Returns its status. */
static int ask(const struct request *request, sqlite3 *database, const struct wish *wish,
               struct answer *answer, FILE *said)
{
    int stop = 0;
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(request->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const struct ask_limits limits = {.rows_max = (long)wish->limit,
                                      .bytes_max = BYTES_MOST,
                                      .time_ns = wish->seconds * 1000000000,
                                      .count_ns = 500000000,
                                      .stop = &stop};
    struct ask_answer result;
    if (info == NULL || !watch_add(info->connect_fd, &stop))
        return 2;
    FILE *before = say_to(said);
    fputs("{\"rows\": ", answer->json.out);
    int status = ask_sql(database, wish->sql, &limits, answer->json.out, &result);
    fprintf(answer->json.out, ", \"end\": \"%s\", \"left_out\": %ld}", end_word(result.end),
            result.rows_left_out);
    say_to(before);
    watch_remove(&stop);
    return status;
}

/* What it said, without the end of its line; the caller frees it. */
static char *said_words(FILE *said, char **text)
{
    if (fclose(said) != 0 || *text == NULL)
        return NULL;
    (*text)[strcspn(*text, "\n")] = '\0';
    return *text;
}

enum MHD_Result api_sql(struct request *request)
{
    struct wish wish;
    struct answer answer;
    const char *problem = NULL;
    char *text = NULL;
    size_t length = 0;
    if (!read_body(request, &wish)) {
        free(wish.sql);
        return reply_problem(
            request->connection, MHD_HTTP_BAD_REQUEST,
            "wants JSON: {\"sql\": \"SELECT ...\", \"limit\": 0 to %d, \"seconds\": "
            "1 to %d}",
            ROWS_MOST, SECONDS_MOST);
    }
    FILE *said = memory_text_open(&text, &length);
    bases_begin_long();
    sqlite3 *database = said != NULL ? base_take(request->base, &problem) : NULL;
    enum MHD_Result result = MHD_NO;
    if (database == NULL && problem != NULL) {
        result = reply_problem(request->connection, MHD_HTTP_SERVICE_UNAVAILABLE, "%s", problem);
    } else if (database != NULL && answer_begin(&answer)) {
        int status = ask(request, database, &wish, &answer, said);
        if (status == 0) {
            result = answer_end(&answer, request, NULL);
        } else {
            answer_drop(&answer);
            char *words = said_words(said, &text);
            said = NULL;
            result = reply_problem(request->connection, MHD_HTTP_BAD_REQUEST, "%s",
                                   words != NULL && words[0] != '\0' ? words : "it failed");
        }
    }
    if (database != NULL)
        base_give(request->base, database);
    bases_end_long();
    if (said != NULL && said_words(said, &text) == NULL)
        result = MHD_NO;
    free(text);
    free(wish.sql);
    return result;
}
#else
extern const int api_sql_is_not_built_in; /* ISO C forbids an empty file */
#endif
