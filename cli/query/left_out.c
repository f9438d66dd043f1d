/* Rows that a rule leaves out: see left_out.h. */
#include "cli/query/left_out.h"

#include "cli/out/say.h"

#include <string.h>

/* The number of all rows, whatever the limit; -1 if the query cannot be run. */
static long count_rows(const struct query_request *request, const struct query_file *query,
                       sqlite3 *database)
{
    struct query_request all = *request;
    long rows = 0;
    FILE *nowhere = fopen("/dev/null", "w");
    if (nowhere == NULL)
        return -1;
    all.limit = -1;
    all.format = OUTPUT_CSV;
    int status = query_run(&all, database, query, nowhere, &rows);
    fclose(nowhere);
    return status == 0 ? rows : -1;
}

static bool is_set(const struct query_request *request, const char *setting)
{
    size_t name_length = strcspn(setting, "=") + 1;
    for (size_t i = 0; i < request->settings_count; i++)
        if (strncmp(request->settings[i], setting, name_length) == 0)
            return true;
    return false;
}

/* One rule, "NAME=VALUE: why". rows: what the query has with it. */
static void say_rule(const struct query_request *request, const struct query_file *query,
                     sqlite3 *database, const char *rule, size_t length, long rows)
{
    char setting[64];
    const char *why = memmem(rule, length, ": ", 2);
    if (why == NULL || request->settings_count == QUERY_SETTINGS_MAX)
        return;
    snprintf(setting, sizeof setting, "%.*s", (int)(why - rule), rule);
    if (is_set(request, setting))
        return;
    struct query_request with = *request;
    with.settings[with.settings_count++] = setting;
    long all = count_rows(&with, query, database);
    if (rows >= 0 && all > rows)
        note("%s: %ld %s left out, because %.*s: -p %s shows them", query->name, all - rows,
             all - rows == 1 ? "row is" : "rows are", (int)(rule + length - why - 2), why + 2,
             setting);
}

void left_out_say(const struct query_request *request, const struct query_file *query,
                  sqlite3 *database)
{
    if (query->hides == NULL)
        return;
    long rows = count_rows(request, query, database);
    for (const char *rule = query->hides; *rule != '\0';) {
        const char *end = strstr(rule, "; ");
        size_t length = end != NULL ? (size_t)(end - rule) : strlen(rule);
        say_rule(request, query, database, rule, length, rows);
        rule += length + (end != NULL ? 2 : 0);
    }
}
