/* The resources: see resources.h. */
#include "cli/mcp/resources.h"

#include "base/parts.h"
#include "cli/mcp/answer.h"
#include "cli/out/json.h"
#include "cli/query/query_help.h"
#include "cli/run/schema_help.h"

#include <stdint.h>
#include <string.h>

#define SCHEMA "fisql://schema"
#define TABLE SCHEMA "/"
#define QUERY "fisql://query/"

enum { SCHEMA_COLUMNS = 120, CONTENT_BYTES = 200 };

static void describe(FILE *out, const char *key, const char *before, const char *uri,
                     const char *name, const char *what, const char *type)
{
    struct json json = {.out = out};
    char whole[300];
    snprintf(whole, sizeof whole, "%s%.200s", before, uri);
    json_open(&json, '{');
    json_key(&json, key);
    json_text(&json, whole, SIZE_MAX);
    json_key(&json, "name");
    json_text(&json, name, 200);
    json_key(&json, "description");
    json_text(&json, what, 400);
    json_key(&json, "mimeType");
    json_text(&json, type, SIZE_MAX);
    json_close(&json, '}');
}

bool resource_describe(const struct query_set *set, size_t number, FILE *out)
{
    if (number == 0) {
        describe(out, "uri", SCHEMA, "", "schema",
                 "The tables and views of a run's database, by subject, for the tool sql",
                 "text/plain");
        return true;
    }
    if (number > set->count)
        return false;
    const struct query_file *query = &set->queries[number - 1];
    describe(out, "uri", QUERY, query->name, query->name,
             query->question != NULL ? query->question : "A query of the user's own",
             "text/markdown");
    return true;
}

bool resource_template_describe(size_t number, FILE *out)
{
    if (number == 0)
        describe(out, "uriTemplate", TABLE, "{table}", "table",
                 "What the columns of a table or view mean", "application/sql");
    else if (number == 1)
        describe(out, "uriTemplate", QUERY, "{name}", "query", "The manual of a canned query",
                 "text/markdown");
    return number < 2;
}

/* Writes the text of the resource; false if there is none. */
static bool write_text(const struct query_set *set, const char *uri, FILE *out, const char **type)
{
    *type = "text/plain";
    if (strcmp(uri, SCHEMA) == 0) {
        schema_help_all(SCHEMA_COLUMNS, out);
        return true;
    }
    if (starts_with(uri, TABLE)) {
        *type = "application/sql";
        return schema_help_one(uri + strlen(TABLE), out);
    }
    const struct query_file *query =
        starts_with(uri, QUERY) ? query_set_find(set, uri + strlen(QUERY)) : NULL;
    *type = "text/markdown";
    if (query != NULL)
        query_help_explain(query, "query", true, out);
    return query != NULL;
}

bool resource_read(const struct query_set *set, const char *uri, size_t bytes_max, FILE *out)
{
    struct answer answer;
    const char *type;
    size_t uri_bytes = json_string_bytes(uri, strlen(uri));
    bool found = uri_bytes < CONTENT_BYTES &&
                 answer_open(&answer, bytes_max - uri_bytes - CONTENT_BYTES, NULL) == 0;
    if (!found)
        return false;
    found = write_text(set, uri, answer.stream, &type);
    found = answer_close(&answer) == 0 && found;
    if (found) {
        fputs("\"contents\":[{\"uri\":", out);
        json_string(out, uri, strlen(uri));
        fprintf(out, ",\"mimeType\":\"%s\",\"text\":", type);
        json_string(out, answer.text, answer.size);
        fputs("}]", out);
    }
    answer_release(&answer);
    return found;
}
