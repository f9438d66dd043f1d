/*
 * The requests of --value: see expressions.h. Reads and writes them, and finds their functions.
 */
#include "debuginfo/expressions/expressions.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/edit_distance.h"
#include "debuginfo/expressions/expression_format.h"
#include "debuginfo/expressions/expression_parts.h"
#include "debuginfo/names/short_name.h"
#include "debuginfo/symbols/symbols.h"

#define REQUESTS_MAX 256
#define TEXT_BYTES_MAX 4096 /* of a request */
#define BETWEEN "; "        /* between requests in the log */

static void request_release(struct expression_request *request)
{
    for (size_t i = 0; i < request->count; i++) {
        free((void *)(uintptr_t)request->items[i].text);
        expression_format_free(request->items[i].format);
    }
    free(request->items);
    free(request->text);
    free(request->pattern);
    free(request->nearest);
}

void expressions_release(struct expressions *expressions)
{
    for (size_t i = 0; i < expressions->count; i++)
        request_release(&expressions->items[i]);
    free(expressions->items);
    *expressions = (struct expressions){.count = 0};
}

/* ---- reading ---- */

static int wrong(struct expression_problem *problem, size_t from, size_t bytes, const char *words)
{
    *problem = (struct expression_problem){.from = from, .bytes = bytes};
    snprintf(problem->words, sizeof problem->words, "%s", words);
    return 1;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* Removes the space around bytes. */
static void trim(const char *text, size_t *from, size_t *end)
{
    while (*from < *end && is_space(text[*from]))
        ++*from;
    while (*end > *from && is_space(text[*end - 1]))
        --*end;
}

/* The colon after the function, which is not part of a `::`. */
static size_t find_colon(const char *text)
{
    size_t at = 0;
    for (; text[at] != 0; at++) {
        if (text[at] != ':')
            continue;
        if (text[at + 1] != ':')
            break;
        at++;
    }
    return at;
}

/* Is the word that ends there the end of an operand? A word behind it is no name, then. */
static bool ends_operand(const struct word *word)
{
    return word->kind == WORD_NAME || word->kind == WORD_NUMBER ||
           (word->kind == WORD_MARK && (word->mark[0] == ')' || word->mark[0] == ']'));
}

static bool is_word(const char *text, const struct word *word, const char *is)
{
    return word->kind == WORD_NAME && word->bytes == strlen(is) &&
           memcmp(text + word->from, is, word->bytes) == 0;
}

/* Where the expression between from and end really ends: before `at exit` and `:format`. */
static size_t proper_end(const char *text, size_t from, size_t end)
{
    struct word before = {.kind = WORD_END, .from = from};
    for (size_t at = from; at < end;) {
        struct word word = word_read(text, at, end);
        bool colon = word.kind == WORD_WRONG && text[word.from] == ':';
        if (colon || (ends_operand(&before) && is_word(text, &word, "at")))
            return before.from + before.bytes;
        before = word;
        at = word.from + word.bytes;
    }
    return end;
}

#define EACH "each pointer"

/* Is it that, and not an expression? No two names follow one another in one. */
static bool is_each(const char *text, size_t from, size_t end)
{
    size_t length = strlen(EACH);
    struct word next = {.kind = WORD_END};
    if (end - from < length || strncmp(text + from, EACH, length) != 0)
        return false;
    next = word_read(text, from + strlen("each"), end);
    return is_word(text, &next, "pointer");
}

/* What stands behind an expression. */
struct suffix {
    bool timed, at_exit, at_entry, if_changed;
    struct expression_format *format;
};

/* `at exit` or `at both`. */
static int read_time(const char *text, size_t *from, size_t end, struct suffix *suffix,
                     struct expression_problem *problem)
{
    struct word at = word_read(text, *from, end);
    struct word when = word_read(text, at.from + at.bytes, end);
    bool both = is_word(text, &when, "both");
    if (!is_word(text, &at, "at") || suffix->timed)
        return wrong(problem, at.from, end - at.from, "nothing is expected after this");
    if (!both && !is_word(text, &when, "exit"))
        return wrong(problem, at.from, end - at.from,
                     "here only `at exit` or `at both` (entry and exit) is possible");
    *suffix =
        (struct suffix){.timed = true, .at_exit = true, .at_entry = both, .format = suffix->format};
    *from = when.from + when.bytes;
    struct word condition = word_read(text, *from, end);
    struct word changed = word_read(text, condition.from + condition.bytes, end);
    if (!both && is_word(text, &condition, "if") && is_word(text, &changed, "changed")) {
        suffix->if_changed = true;
        *from = changed.from + changed.bytes;
    }
    return 0;
}

static int read_suffix(const char *text, size_t from, size_t end, struct suffix *suffix,
                       struct expression_problem *problem, struct error *error)
{
    int result = 0;
    *suffix = (struct suffix){.at_entry = true};
    while (result == 0) {
        while (from < end && is_space(text[from]))
            from++;
        if (from == end)
            return 0;
        if (text[from] != ':') {
            result = read_time(text, &from, end, suffix, problem);
        } else if (suffix->format != NULL) {
            result = wrong(problem, from, end - from, "one format is enough");
        } else {
            from++;
            result = expression_format_read(text, &from, end, &suffix->format, problem, error);
        }
    }
    return result;
}

/* Adds an expression, which takes the format. */
static int put_item(struct expression_request *request, size_t from, size_t end,
                    const struct expression *like, struct expression_problem *problem,
                    struct error *error)
{
    struct expression_format *format = like->format;
    char *text = NULL, dump[24] = "";
    int result = 0;
    if (format != NULL && format->dump_bytes != 0)
        snprintf(dump, sizeof dump, ":dump(%u)", format->dump_bytes);
    if (request->count == FISQL_RECIPE_VALUES_MAX)
        result = wrong(problem, from, end - from, "too many expressions: values have 30 positions");
    else if (array_reserve(&request->items, &request->capacity, request->count + 1, error) != 0)
        result = -1;
    else if (asprintf(&text, "%.*s%s%s", (int)(end - from), request->text + from, dump,
                      like->at_exit ? " at exit" : "") < 0)
        result = error_set(error, "out of memory");
    if (result != 0) {
        expression_format_free(format);
        return result;
    }
    struct expression *item = &request->items[request->count++];
    *item = *like;
    item->text = text;
    item->from = from;
    item->bytes = end - from;
    return 0;
}

static int add_item(struct expression_request *request, size_t from, size_t end,
                    struct expression_problem *problem, struct error *error)
{
    size_t stop = end, comma = end < strlen(request->text);
    struct suffix suffix, again = {.format = NULL};
    trim(request->text, &from, &end);
    if (from == end)
        return wrong(problem, stop - (comma == 0 && stop > 0), 1, "an expression is missing here");
    bool each = is_each(request->text, from, end);
    size_t proper = each ? from + strlen(EACH) : proper_end(request->text, from, end);
    if (proper == from)
        return wrong(problem, from, 1, "before this an expression is missing");
    for (size_t at = from; at < proper;) {
        struct word word = word_read(request->text, at, proper);
        if (word.kind == WORD_WRONG)
            return wrong(problem, word.from, word.bytes, "this is not known in an expression");
        at = word.from + word.bytes;
    }
    int result = read_suffix(request->text, proper, end, &suffix, problem, error);
    if (result == 0 && suffix.at_entry && suffix.at_exit) /* each item owns its format */
        result = read_suffix(request->text, proper, end, &again, problem, error);
    if (result != 0) {
        expression_format_free(suffix.format);
        expression_format_free(again.format);
        return result;
    }
    struct expression item = {.at_exit = suffix.at_exit,
                              .if_changed = suffix.if_changed,
                              .each = each,
                              .format = suffix.format};
    const struct expression before = {.at_both = true, .format = again.format};
    bool dump = suffix.format == NULL || suffix.format->dump_bytes != 0;
    if (each && (!suffix.if_changed || !dump)) {
        expression_format_free(suffix.format);
        expression_format_free(again.format);
        return wrong(problem, from, end - from,
                     "wants `each pointer at exit if changed`, or with :dump(16) before the `at`");
    }
    if (suffix.at_exit && suffix.at_entry)
        result = put_item(request, from, proper, &before, problem, error);
    if (result == 0)
        return put_item(request, from, proper, &item, problem, error);
    expression_format_free(suffix.format);
    return result;
}

static int request_read(struct expression_request *request, struct expression_problem *problem,
                        struct error *error)
{
    const char *text = request->text;
    size_t colon = find_colon(text), from = 0, end = colon, length = strlen(text);
    if (length > TEXT_BYTES_MAX)
        return wrong(problem, 0, 0, "too long: at most 4096 bytes");
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == ';')
            return wrong(problem, i, 1, "give one --value for each function");
    if (text[colon] == 0)
        return wrong(problem, 0, length,
                     "wants a function, a colon and expressions: 'FUNCTION: EXPRESSION, ...'");
    trim(text, &from, &end);
    if (from == end)
        return wrong(problem, colon, 1, "before the colon a function is missing");
    request->pattern = strndup(text + from, end - from);
    if (request->pattern == NULL)
        return error_set(error, "out of memory");
    for (from = colon + 1;; from = end + 1) {
        end = expression_end(text, from);
        int result = add_item(request, from, end, problem, error);
        if (result != 0 || text[end] == 0)
            return result;
    }
}

int expressions_add(struct expressions *expressions, const char *text,
                    struct expression_problem *problem, struct error *error)
{
    struct expression_request request = {.text = strdup(text)};
    int result = request.text == NULL ? error_set(error, "out of memory") : 0;
    if (result == 0 && expressions->count == REQUESTS_MAX)
        result = wrong(problem, 0, 0, "there are too many of these: 256 at most");
    if (result == 0)
        result = request_read(&request, problem, error);
    if (result == 0)
        result = array_add(&expressions->items, &expressions->count, &expressions->capacity,
                           request, error);
    if (result != 0)
        request_release(&request);
    return result;
}

/* ---- in the log ---- */

char *expressions_text(const struct expressions *expressions)
{
    size_t bytes = 1;
    for (size_t i = 0; i < expressions->count; i++)
        bytes += strlen(expressions->items[i].text) + strlen(BETWEEN);
    char *text = malloc(bytes), *at = text;
    if (text == NULL)
        return NULL;
    *at = 0;
    for (size_t i = 0; i < expressions->count; i++) {
        at = stpcpy(at, i > 0 ? BETWEEN : "");
        at = stpcpy(at, expressions->items[i].text);
    }
    return text;
}

int expressions_read(struct expressions *expressions, const char *text, struct error *error)
{
    while (*text != 0) {
        struct expression_problem problem;
        size_t length = strcspn(text, ";");
        char *one = strndup(text, length);
        if (one == NULL)
            return error_set(error, "out of memory");
        int result = expressions_add(expressions, one + strspn(one, " "), &problem, error);
        free(one);
        if (result < 0)
            return -1;
        text += length + (text[length] != 0);
    }
    return 0;
}

/* ---- functions ---- */

/* Does the request mean the function? `brief`: as fisql shows it, without result and parameters. If
 * not, it may be the nearest. */
static bool is_meant(struct expression_request *request, const char *name, const char *brief)
{
    char plain[1024];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(brief, "("), brief);
    if (fnmatch(request->pattern, name, 0) == 0 || fnmatch(request->pattern, brief, 0) == 0 ||
        fnmatch(request->pattern, plain, 0) == 0)
        return true;
    size_t length = strnlen(request->pattern, EDIT_WORD_MAX);
    size_t edits = request->matches > 0 ? SIZE_MAX
                                        : edit_distance(request->pattern, length, plain,
                                                        strnlen(plain, EDIT_WORD_MAX));
    if (edits > length / 3 + 1 || (request->nearest != NULL && edits >= request->nearest_edits))
        return false;
    free(request->nearest);
    request->nearest = strdup(plain);
    request->nearest_edits = edits;
    return false;
}

static int by_function(const void *left, const void *right)
{
    const struct expression_match *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return (a->request > b->request) - (a->request < b->request);
}

static int match_function(struct expressions *expressions, const struct symbol_function *function,
                          struct expression_matches *matches, struct error *error)
{
    bool mangled = function->linkage_name != NULL && short_name_applies(function->linkage_name);
    char *brief = mangled ? short_name(function->name, false) : NULL;
    int result = 0;
    for (size_t i = 0; i < expressions->count && result == 0; i++) {
        struct expression_request *request = &expressions->items[i];
        if (!is_meant(request, function->name, brief != NULL ? brief : function->name))
            continue;
        result = array_add(&matches->items, &matches->count, &matches->capacity,
                           ((struct expression_match){function->address, request}), error);
        request->matches++;
    }
    free(brief);
    return result;
}

int expressions_match(struct expressions *expressions, const struct symbols *symbols,
                      struct expression_matches *matches, struct error *error)
{
    for (size_t i = 0; i < symbols->functions_count && expressions->count > 0; i++)
        if (symbols->functions[i].instrumented &&
            match_function(expressions, &symbols->functions[i], matches, error) != 0)
            return -1;
    array_sort(matches->items, matches->count, by_function);
    return 0;
}
