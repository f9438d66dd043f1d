/* All the queries there are: see query_set.h. */
#include "cli/query/query_set.h"

#include "base/array.h"
#include "cli/out/say.h"

#include "queries/embedded.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t query_bytes_max = 1 << 20; /* more is no query but a mistake */

static void user_folder(char *path, size_t size)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config != NULL && config[0] == '/')
        snprintf(path, size, "%s/fisql/queries", config);
    else
        snprintf(path, size, "%s/.config/fisql/queries", home != NULL ? home : "");
}

/* The file's text. Caller frees; NULL with errno set. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    char *text = malloc(query_bytes_max + 1);
    size_t length = text != NULL ? fread(text, 1, query_bytes_max + 1, file) : 0;
    int problem = text == NULL ? ENOMEM : ferror(file) ? errno : 0;
    fclose(file);
    if (problem == 0 && length > query_bytes_max)
        problem = EFBIG;
    if (problem == 0 && memchr(text, '\0', length) != NULL)
        problem = EILSEQ;
    if (problem != 0) {
        free(text);
        errno = problem;
        return NULL;
    }
    text[length] = '\0';
    return text;
}

int query_set_read_file(struct query_file *query, const char *name, const char *path)
{
    *query = (struct query_file){0};
    char *text = read_text(path);
    if (text == NULL)
        return fail("%s: cannot be read as SQL: %s", path, strerror(errno));
    int result = query_file_parse(query, name, text);
    query->own = true;
    free(text);
    return result == 0 ? 0 : fail("%s: out of memory", path);
}

static struct query_file *add(struct query_set *set)
{
    if (array_reserve(&set->queries, &set->capacity, set->count + 1, NULL) != 0)
        return NULL;
    set->queries[set->count] = (struct query_file){0};
    return &set->queries[set->count++];
}

static int load_own(struct query_set *set)
{
    char folder[PATH_MAX - 300];
    user_folder(folder, sizeof folder);
    struct dirent **names;
    int count = scandir(folder, &names, NULL, alphasort), status = 0;
    for (int i = 0; i < count; i++) {
        char *dot = strrchr(names[i]->d_name, '.');
        if (dot != NULL && dot != names[i]->d_name && strcmp(dot, ".sql") == 0) {
            char path[PATH_MAX];
            snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
            *dot = '\0';
            struct query_file query;
            if (query_set_find(set, names[i]->d_name) != NULL) {
                note("%s: left out: a canned query has that name", path);
            } else if (query_set_read_file(&query, names[i]->d_name, path) == 0) {
                struct query_file *place = add(set);
                if (place == NULL)
                    status = fail("out of memory");
                else
                    *place = query;
            } else {
                query_file_release(&query);
            }
        }
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return status;
}

int query_set_load(struct query_set *set)
{
    *set = (struct query_set){0};
    for (size_t i = 0; i < embedded_queries_count; i++) {
        struct query_file *query = add(set);
        if (query == NULL ||
            query_file_parse(query, embedded_queries[i].name, embedded_queries[i].text) != 0)
            return fail("out of memory");
    }
    return load_own(set);
}

void query_set_release(struct query_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        query_file_release(&set->queries[i]);
    free(set->queries);
    *set = (struct query_set){0};
}

const struct query_file *query_set_find(const struct query_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->queries[i].name, name) == 0)
            return &set->queries[i];
    }
    return NULL;
}

int query_set_fail_unknown(const struct query_set *set, const char *name)
{
    if (strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".sql") == 0)
        return fail("%s: is a file of SQL, not the name of a query: run it with --file %s", name,
                    name);
    const char **names = calloc(set->count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < set->count; i++)
        names[i] = set->queries[i].name;
    const char *nearest = names != NULL ? nearest_name(name, names, set->count) : NULL;
    if (access(name, F_OK) == 0 && strchr(name, '.') != NULL)
        fail("%s: is a file, not a query: give the query's name before it", name);
    else if (nearest != NULL)
        fail("%s: no such query; did you mean %s?", name, nearest);
    else
        fail("%s: no such query", name);
    if (names != NULL)
        say_list("the queries are", names, set->count);
    free(names);
    return 2;
}
