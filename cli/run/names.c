/* Names of functions: see names.h. */
#include "cli/run/names.h"

#include "cli/run/database.h"
#include "base/memory_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *sql;
} styles[] = {
    [NAMES_SHORT] = {"short", "f.name"},
    [NAMES_FULL] = {"full", "coalesce(f.full_name, f.name)"},
    [NAMES_LINKAGE] = {"no", "coalesce(f.linkage_name, f.name)"},
};

bool name_style_parse(const char *word, enum name_style *style)
{
    for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
        if (strcmp(word, styles[i].word) == 0) {
            *style = (enum name_style)i;
            return true;
        }
    }
    return false;
}

const char *name_style_sql(enum name_style style)
{
    return styles[style].sql;
}

int names_init(struct names *names, enum name_style style, sqlite3 *database)
{
    char sql[160];
    *names = (struct names){.style = style};
    if (style == NAMES_SHORT)
        return SQLITE_OK;
    snprintf(sql, sizeof sql, "SELECT %s FROM functions f WHERE f.name = ?1 LIMIT 1",
             name_style_sql(style));
    return sqlite3_prepare_v2(database, sql, -1, &names->lookup, NULL);
}

void names_release(struct names *names)
{
    sqlite3_finalize(names->lookup);
    *names = (struct names){0};
}

/* A name of `length` bytes in the style; NULL if there is no such function. Borrowed until the
 * look-up is reset. */
static const char *styled(const struct names *names, const char *name, size_t length)
{
    sqlite3_bind_text(names->lookup, 1, name, (int)length, SQLITE_STATIC);
    return database_row(names->lookup) ? (const char *)sqlite3_column_text(names->lookup, 0) : NULL;
}

static void put_styled(FILE *out, const struct names *names, const char *name, size_t length)
{
    const char *text = styled(names, name, length);
    if (text != NULL)
        fputs(text, out);
    else
        fwrite(name, 1, length, out);
    sqlite3_reset(names->lookup);
}

/* Most texts are one name: a stream takes longer than its look-up. */
static char *rewrite_one(const struct names *names, const char *name)
{
    const char *text = styled(names, name, strlen(name));
    char *result = strdup(text != NULL ? text : name);
    sqlite3_reset(names->lookup);
    return result;
}

char *names_rewrite(const struct names *names, const char *text)
{
    if (names->lookup == NULL)
        return strdup(text);
    if (*text != ' ' && strstr(text, NAMES_ARROW) == NULL)
        return rewrite_one(names, text);
    char *result = NULL;
    size_t size = 0;
    FILE *out = memory_text_open(&result, &size);
    if (out == NULL)
        return NULL;
    size_t indent = strspn(text, " "); /* of a tree */
    fwrite(text, 1, indent, out);
    for (const char *from = text + indent, *arrow; from != NULL;
         from = arrow != NULL ? arrow + strlen(NAMES_ARROW) : NULL) {
        arrow = strstr(from, NAMES_ARROW);
        put_styled(out, names, from, arrow != NULL ? (size_t)(arrow - from) : strlen(from));
        if (arrow != NULL)
            fputs(NAMES_ARROW, out);
    }
    if (fclose(out) != 0) {
        free(result);
        return NULL;
    }
    return result;
}
