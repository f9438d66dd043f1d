/* Parsing query files and making views of them: see query_file.h. */
#include "cli/query/query_file.h"

#include "queries/embedded.h"
#include "base/memory_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *trimmed(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    return strndup(from, (size_t)(to - from));
}

static void append(char **text, const char *more)
{
    if (more == NULL)
        return;
    size_t size = (*text != NULL ? strlen(*text) : 0) + strlen(more) + 2;
    char *joined = malloc(size);
    if (joined == NULL)
        return;
    snprintf(joined, size, "%s%s%s", *text != NULL ? *text : "", *text != NULL ? " " : "", more);
    free(*text);
    *text = joined;
}

/* "name = default | unit | text", or without the default. */
static void parse_part(struct query_part *part, const char *line)
{
    const char *end = line + strlen(line);
    const char *bar = strchrnul(line, '|');
    const char *second = *bar != 0 ? strchrnul(bar + 1, '|') : end;
    const char *equals = memchr(line, '=', (size_t)(bar - line));
    part->name = trimmed(line, equals != NULL ? equals : bar);
    part->value = equals != NULL ? trimmed(equals + 1, bar) : NULL;
    part->unit = trimmed(*bar != 0 ? bar + 1 : end, second);
    part->text = trimmed(*second != 0 ? second + 1 : end, end);
}

static void parse_line(struct query_file *query, const char *key, char *value, char ***last)
{
    static const struct {
        const char *name;
        size_t offset;
    } texts[] = {{"title", offsetof(struct query_file, title)},
                 {"question", offsetof(struct query_file, question)},
                 {"group", offsetof(struct query_file, group)},
                 {"description", offsetof(struct query_file, description)},
                 {"advice", offsetof(struct query_file, advice)},
                 {"source", offsetof(struct query_file, source)},
                 {"report", offsetof(struct query_file, report)},
                 {"needs", offsetof(struct query_file, needs)},
                 {"libraries", offsetof(struct query_file, libraries)},
                 {"hides", offsetof(struct query_file, hides)}};
    *last = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(key, texts[i].name) == 0) {
            *last = (char **)(void *)((char *)query + texts[i].offset);
            append(*last, value);
            return;
        }
    struct query_part *part = NULL;
    if (strcmp(key, "param") == 0 && query->params_count < QUERY_PARTS_MAX)
        part = &query->params[query->params_count++];
    else if (strcmp(key, "column") == 0 && query->columns_count < QUERY_PARTS_MAX)
        part = &query->columns[query->columns_count++];
    else if (strcmp(key, "filter") == 0 && query->filters_count < QUERY_PARTS_MAX)
        part = &query->filters[query->filters_count++];
    if (part != NULL) {
        parse_part(part, value);
        *last = &part->text;
    }
}

static bool parts_sound(const struct query_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].name == NULL || parts[i].unit == NULL || parts[i].text == NULL)
            return false;
    }
    return true;
}

int query_file_parse(struct query_file *query, const char *name, const char *text)
{
    char **last = NULL;
    *query = (struct query_file){.name = strdup(name), .sql = strdup(text)};
    for (const char *line = text; strncmp(line, "--", 2) == 0;) {
        const char *end = strchrnul(line, '\n');
        const char *at = line + 2;
        const char *colon = memchr(at, ':', (size_t)(end - at));
        bool keyed = colon != NULL && at[0] == ' ' && islower((unsigned char)at[1]);
        for (const char *letter = at + 1; keyed && letter < colon; letter++)
            keyed = islower((unsigned char)*letter);
        char *key = keyed ? trimmed(at, colon) : NULL;
        char *value = trimmed(keyed ? colon + 1 : at, end);
        if (value != NULL && key != NULL)
            parse_line(query, key, value, &last);
        else if (value != NULL && last != NULL && value[0] != 0)
            append(last, value);
        free(key);
        free(value);
        line = *end != 0 ? end + 1 : end;
    }
    if (query->name == NULL || query->sql == NULL)
        return -1;
    bool sound = parts_sound(query->params, query->params_count) &&
                 parts_sound(query->columns, query->columns_count) &&
                 parts_sound(query->filters, query->filters_count);
    return sound ? 0 : -1;
}

static void parts_release(struct query_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(parts[i].name);
        free(parts[i].value);
        free(parts[i].unit);
        free(parts[i].text);
    }
}

void query_file_release(struct query_file *query)
{
    free(query->name);
    free(query->title);
    free(query->question);
    free(query->group);
    free(query->description);
    free(query->advice);
    free(query->source);
    free(query->report);
    free(query->needs);
    free(query->hides);
    free(query->libraries);
    free(query->sql);
    parts_release(query->params, query->params_count);
    parts_release(query->columns, query->columns_count);
    parts_release(query->filters, query->filters_count);
    *query = (struct query_file){0};
}

const struct query_part *query_part_find(const struct query_part *parts, size_t count,
                                         const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    }
    return NULL;
}

/* Copies SQL with NULL in the place of each :parameter, except in comments and strings. Returns
 * false without memory. */
static bool put_unbound(FILE *out, const char *sql)
{
    bool put = true;
    for (const char *at = sql; *at != 0;) {
        size_t plain = strcspn(at, "-/'\":");
        const char *end = at;
        if (plain > 0) {
            end = at + plain;
        } else if (strncmp(at, "--", 2) == 0) {
            end = strchrnul(at, '\n');
        } else if (strncmp(at, "/*", 2) == 0) {
            end = strstr(at, "*/");
            end = end != NULL ? end + 2 : at + strlen(at);
        } else if (*at == '\'' || *at == '"') {
            end = strchr(at + 1, *at);
            end = end != NULL ? end + 1 : at + strlen(at);
        } else if (*at == ':' && isalpha((unsigned char)at[1])) {
            for (at++; isalnum((unsigned char)*at) || *at == '_'; at++)
                ;
            put = fputs("NULL", out) >= 0 && put;
            continue;
        }
        size_t length = end > at ? (size_t)(end - at) : 1;
        put = fwrite(at, 1, length, out) == length && put;
        at += length;
    }
    return put;
}

void query_view_name(const char *query, char *name, size_t size)
{
    char table[160];
    snprintf(name, size, "%s", query);
    for (char *dash = name; (dash = strchr(dash, '-')) != NULL;)
        *dash = '_';
    snprintf(table, sizeof table, "CREATE TABLE %s(", name);
    if (strstr(embedded_schema, table) != NULL)
        snprintf(name + strlen(name), size - strlen(name), "_view");
}

static bool view_make(const struct embedded_query *query, struct load_view *view)
{
    char name[128], *sql = NULL;
    size_t size = 0;
    query_view_name(query->name, name, sizeof name);
    FILE *out = memory_text_open(&sql, &size);
    if (out == NULL)
        return false;
    /* A stream in memory forgets that it could not grow. */
    bool made = fprintf(out, "CREATE VIEW %s AS\n", name) >= 0;
    made = put_unbound(out, query->text) && made;
    made = fclose(out) == 0 && made && sql != NULL;
    while (made && size > 0 && isspace((unsigned char)sql[size - 1]))
        sql[--size] = 0; /* as SQLite keeps it */
    *view = (struct load_view){.name = strdup(name), .sql = sql};
    return made && view->name != NULL;
}

int query_views_make(struct query_views *views)
{
    *views = (struct query_views){.items = calloc(embedded_queries_count, sizeof *views->items)};
    while (views->items != NULL && views->count < embedded_queries_count) {
        views->count++;
        if (!view_make(&embedded_queries[views->count - 1], &views->items[views->count - 1]))
            return -1;
    }
    return views->items != NULL ? 0 : -1;
}

void query_views_release(struct query_views *views)
{
    for (size_t i = 0; i < views->count; i++) {
        free(views->items[i].name);
        free(views->items[i].sql);
    }
    free(views->items);
    *views = (struct query_views){0};
}

char *query_views_sql(void)
{
    struct query_views views;
    char *script = NULL;
    size_t size = 0;
    bool made = query_views_make(&views) == 0;
    FILE *out = made ? memory_text_open(&script, &size) : NULL;
    for (size_t i = 0; out != NULL && i < views.count; i++)
        fprintf(out, "%s;\n", views.items[i].sql);
    query_views_release(&views);
    if (out == NULL || fclose(out) != 0) {
        free(script);
        return NULL;
    }
    return script;
}
