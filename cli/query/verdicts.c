/* A run's findings: see verdicts.h. */
#include "cli/query/verdicts.h"

#include "cli/out/say.h"
#include "cli/query/query_run.h"
#include "cli/query/query_sources.h"
#include "cli/run/database.h"
#include "cli/whatif/saving.h"

#include <stdlib.h>
#include <string.h>
#include <string.h>

/* verdicts.sql */
extern const char verdicts_sql_unchecked[], verdicts_sql_lock[];

/* ---- rows ---- */

static char *text_of(sqlite3_stmt *row, const char *name)
{
    int column = database_column(row, name);
    return column >= 0 ? database_copy(row, column) : NULL;
}

static double amount_of(sqlite3_stmt *row, const char *name)
{
    int column = database_column(row, name);
    return column >= 0 && sqlite3_column_type(row, column) != SQLITE_NULL
               ? sqlite3_column_double(row, column)
               : -1;
}

static void verdict_release(struct verdict *verdict)
{
    char *texts[] = {verdict->text,        verdict->kind,     verdict->share_of,
                     verdict->sure,        verdict->function, verdict->caller,
                     verdict->called_from, verdict->proof,    verdict->next};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    *verdict = (struct verdict){.text = NULL};
}

/* Without memory or the row's text: false. */
static bool verdict_of(sqlite3_stmt *row, struct verdict *verdict)
{
    *verdict = (struct verdict){.text = text_of(row, "finding"),
                                .kind = text_of(row, "kind"),
                                .share_of = text_of(row, "share_of"),
                                .sure = text_of(row, "sure"),
                                .function = text_of(row, "function"),
                                .caller = text_of(row, "caller"),
                                .called_from = text_of(row, "called_from"),
                                .proof = text_of(row, "proof"),
                                .next = text_of(row, "next"),
                                .share = amount_of(row, "share"),
                                .saves_cpu_ns = amount_of(row, "saves_cpu_ns"),
                                .saves_wait_ns = amount_of(row, "saves_wait_ns"),
                                .saves_bytes = amount_of(row, "saves_bytes"),
                                .saves_run_ns = -1,
                                .rows = (long)amount_of(row, "rows"),
                                .is_finding = amount_of(row, "is_finding") > 0};
    return verdict->text != NULL && verdict->kind != NULL && verdict->sure != NULL &&
           verdict->proof != NULL;
}

/* Takes the present row, if there is room for one of its kind. */
static bool take(struct verdicts *verdicts, sqlite3_stmt *row)
{
    struct verdict verdict;
    bool whole = verdict_of(row, &verdict);
    int others = verdicts->count - verdicts->findings;
    verdicts->findings_all += whole && verdict.is_finding;
    if (!whole || (verdict.is_finding ? verdicts->findings == VERDICTS_FINDINGS
                                      : others == VERDICTS_OTHERS)) {
        verdict_release(&verdict);
        return whole;
    }
    verdicts->findings += verdict.is_finding;
    verdicts->items[verdicts->count++] = verdict;
    return true;
}

static int read_rows(sqlite3 *database, const struct query_file *query, struct verdicts *verdicts)
{
    struct query_request request = {.settings = {"all=1"}, .settings_count = 1};
    sqlite3_stmt *row = NULL;
    int result = sqlite3_prepare_v2(database, query->sql, -1, &row, NULL);
    int status = result == SQLITE_OK ? query_bind_settings(&request, query, row) : 0;
    while (status == 0 && result != SQLITE_DONE && (result = sqlite3_step(row)) == SQLITE_ROW &&
           take(verdicts, row))
        ;
    if (status == 0 && result == SQLITE_ROW)
        result = SQLITE_NOMEM;
    if (status == 0 && result != SQLITE_DONE)
        status = fail("%s: %s", query->name,
                      result == SQLITE_NOMEM ? "out of memory" : sqlite3_errmsg(database));
    sqlite3_finalize(row);
    return status;
}

/* ---- what they would save of the run ---- */

/* The lock that a finding is about; 0 = none that could be done without. */
static int64_t lock_of(sqlite3 *database, const struct verdict *verdict)
{
    sqlite3_stmt *row = database_ask(database, verdicts_sql_lock);
    if (row == NULL)
        return 0;
    sqlite3_bind_text(row, 1, verdict->function, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 2, verdict->text, -1, SQLITE_STATIC);
    return database_integer(row, 0);
}

static int find_savings(sqlite3 *database, struct verdicts *verdicts)
{
    struct saving savings[VERDICTS_MAX];
    struct verdict *of[VERDICTS_MAX];
    size_t count = 0;
    for (int i = 0; i < verdicts->findings; i++) {
        struct verdict *verdict = &verdicts->items[i];
        bool of_lock = strcmp(verdict->proof, "lock-contention") == 0;
        struct saving saving = {.function = verdict->function,
                                .cpu_ns = verdict->saves_cpu_ns,
                                .wait_ns = verdict->saves_wait_ns};
        if (verdict->function == NULL || (saving.cpu_ns < 0 && saving.wait_ns < 0))
            continue;
        if (of_lock && (saving.lock = lock_of(database, verdict)) == 0)
            continue;
        of[count] = verdict;
        savings[count++] = saving;
    }
    int status = savings_find(database, savings, count);
    for (size_t i = 0; i < count; i++)
        of[i]->saves_run_ns = savings[i].run_ns;
    return status;
}

/* ---- what was checked ---- */

static const char *threshold(const struct query_file *query, const char *name)
{
    const struct query_part *part = query_part_find(query->params, query->params_count, name);
    return part != NULL && part->value != NULL ? part->value : "?";
}

/* source: the tool whose trace the run is, NULL = it was recorded here. */
static int say_checked(const struct query_file *query, const char *source,
                       struct verdicts *verdicts)
{
    const char *format =
        source != NULL
            ? "calls whose own time, waiting included, is from %s%% of all"
            : "errors; CPU time from %s%%; waits from %s%% of the waiting threads' time and %s ms; "
              "memory lost or gathered from %s%% of the peak, or %s blocks";
    char *text = sqlite3_mprintf(format, threshold(query, "min_cpu"), threshold(query, "min_wait"),
                                 threshold(query, "min_wait_ms"), threshold(query, "min_memory"),
                                 threshold(query, "min_lost"));
    verdicts->checked = text != NULL ? strdup(text) : NULL;
    sqlite3_free(text);
    return verdicts->checked != NULL ? 0 : fail("out of memory");
}

static int say_unchecked(sqlite3 *database, struct verdicts *verdicts)
{
    sqlite3_stmt *row = database_ask(database, verdicts_sql_unchecked);
    int status = row != NULL ? 0 : 2;
    while (status == 0 && verdicts->unchecked_count < VERDICTS_UNCHECKED_MAX && database_row(row)) {
        char *text = database_copy(row, 0);
        verdicts->unchecked[verdicts->unchecked_count++] = text;
        status = text != NULL ? 0 : fail("out of memory");
    }
    sqlite3_finalize(row);
    return status;
}

int verdicts_read(sqlite3 *database, const struct query_set *set, struct verdicts *verdicts)
{
    *verdicts = (struct verdicts){.count = 0};
    const struct query_file *query = query_set_find(set, "findings");
    if (query == NULL)
        return fail("findings: no such query");
    int status = database_check_frames(database);
    if (status == 0)
        status = query_sources_make(database, query->sql);
    if (status == 0)
        status = read_rows(database, query, verdicts);
    if (query_sources_drop(database, query->sql) != 0)
        status = 2;
    if (status == 0)
        status = find_savings(database, verdicts);
    char *source = database_text(database_ask(database, DATABASE_SOURCE));
    if (status == 0)
        status = say_checked(query, source, verdicts);
    free(source);
    if (status == 0)
        status = say_unchecked(database, verdicts);
    return status;
}

void verdicts_release(struct verdicts *verdicts)
{
    for (int i = 0; i < verdicts->count; i++)
        verdict_release(&verdicts->items[i]);
    free(verdicts->checked);
    for (int i = 0; i < verdicts->unchecked_count; i++)
        free(verdicts->unchecked[i]);
    *verdicts = (struct verdicts){.count = 0};
}
