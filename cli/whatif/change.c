/* Changes as people write them: see change.h. */
#include "cli/whatif/change.h"

#include "cli/out/say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR_MAX 1e6
#define THREADS_MAX 1024
#define SPLIT_MAX 4096

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

bool change_looks_like(const char *word)
{
    const char *colon = strrchr(word, ':');
    return colon != NULL && colon[1] != ':' && colon != word && colon[-1] != ':';
}

/* Is the text the word, and nothing more? */
static bool is_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && *skip_spaces(text + length) == '\0';
}

/* Takes a whole number from 2 on, up to `most`. */
static bool whole_number(const char *text, long most, char **end, double *value)
{
    long number = strtol(text, end, 10);
    *value = (double)number;
    return *end != text && number >= 2 && number <= most;
}

static int wrong_function(const char *text)
{
    return fail("%s: wants FUNCTION: 2x, -30%%, 4 threads or async, or malloc in FUNCTION: pool; "
                "see `fisql whatif --help`",
                text);
}

/* What is to become of a function. */
static int parse_function(struct change *change, const char *what)
{
    char *end = NULL;
    double number = strtod(what, &end);
    const char *rest = skip_spaces(end);
    if (is_word(what, "async")) {
        change->kind = CHANGE_ASYNC;
    } else if (end != what && is_word(rest, "x")) {
        change->kind = CHANGE_SCALE;
        if (!(number >= 1 / FACTOR_MAX && number <= FACTOR_MAX))
            return fail("%s: a function can become from 0.000001x to 1000000x as fast",
                        change->text);
        change->value = 1 / number;
    } else if (end != what && is_word(rest, "%")) {
        change->kind = CHANGE_SCALE;
        if (!(number >= -100 && number <= FACTOR_MAX))
            return fail("%s: a time can shrink by 100 %% at most (-100%%)", change->text);
        change->value = 1 + number / 100;
    } else if (end != what && is_word(rest, "threads")) {
        change->kind = CHANGE_SPREAD;
        if (!whole_number(what, THREADS_MAX, &end, &change->value) ||
            !is_word(skip_spaces(end), "threads"))
            return fail("%s: wants from 2 to %d threads", change->text, THREADS_MAX);
    } else {
        return wrong_function(change->text);
    }
    return 0;
}

static int parse_lock(struct change *change, const char *what)
{
    char *end = NULL;
    if (is_word(what, "none")) {
        change->kind = CHANGE_UNLOCK;
        change->value = 100;
        return 0;
    }
    if (strncmp(what, "split", 5) == 0 && what[5] != '\0') {
        change->kind = CHANGE_SPLIT;
        if (whole_number(skip_spaces(what + 5), SPLIT_MAX, &end, &change->value) &&
            *skip_spaces(end) == '\0')
            return 0;
        return fail("%s: a lock can be split into 2 to %d", change->text, SPLIT_MAX);
    }
    return fail(
        "%s: wants lock NAME: split 8, or lock NAME: none; `fisql query lock-holders` names "
        "the locks",
        change->text);
}

static int parse_pool(struct change *change, const char *what)
{
    change->kind = CHANGE_POOL;
    return is_word(what, "pool") ? 0 : fail("%s: wants malloc in FUNCTION: pool", change->text);
}

/* The text after the word; NULL if it begins with another one. */
static const char *after(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? skip_spaces(text + length) : NULL;
}

int change_add(struct change_list *list, const char *text)
{
    if (list->count == CHANGES_MAX)
        return fail("%s: there can be %u changes at a time", text, CHANGES_MAX);
    struct change *change = &list->items[list->count];
    *change = (struct change){.text = text, .value = 1, .speedup = 1};
    const char *colon = strrchr(text, ':');
    if (!change_looks_like(text))
        return wrong_function(text);
    const char *lock = after(text, "lock "), *pool = after(text, "malloc in ");
    const char *name = skip_spaces(lock != NULL ? lock : pool != NULL ? pool : text);
    size_t length = name < colon ? (size_t)(colon - name) : 0;
    while (length > 0 && (name[length - 1] == ' ' || name[length - 1] == '\t'))
        length--;
    if (length == 0)
        return wrong_function(text);
    change->name = strndup(name, length);
    if (change->name == NULL)
        return fail("out of memory");
    list->count++;
    const char *what = skip_spaces(colon + 1);
    return lock != NULL   ? parse_lock(change, what)
           : pool != NULL ? parse_pool(change, what)
                          : parse_function(change, what);
}

void change_list_release(struct change_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].functions);
        free(list->items[i].locks);
        free(list->items[i].saves_ns);
        free(list->items[i].told);
    }
    list->count = 0;
}
