/* What the commands say on stderr, and the nearest name to a mistyped one: see say.h. */
#include "cli/out/say.h"
#include "base/edit_distance.h"
#include "base/memory_text.h"
#include "cli/out/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local FILE *listener; /* NULL = stderr */

FILE *say_to(FILE *to)
{
    FILE *before = listener;
    listener = to;
    return before;
}

int flush_output(void)
{
    static int problem; /* the first: later ones only follow from it */
    if (problem == 0) {
        errno = 0;
        if (fflush(stdout) != 0 || ferror(stdout))
            problem = errno != 0 ? errno : EIO;
    }
    return problem;
}

/* Prints "fisql: ", `before`, the words and `behind`. */
__attribute__((format(printf, 2, 0))) static void say(const char *before, const char *format,
                                                      va_list arguments, const char *behind)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        return;
    char *shown = text_shown(text, strlen(text));
    if (shown != NULL)
        text_bound(shown);
    const char *words = shown != NULL ? shown : "out of memory";
    if (listener != NULL) {
        fprintf(listener, "%s\n", words);
    } else {
        flush_output(); /* keeps the order where both go to one place */
        fprintf(stderr, "%sfisql: %s%s", before, words, behind);
    }
    free(shown);
    free(text);
}

#undef fail

int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments, "\n");
    va_end(arguments);
    return 2;
}

void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments, "\n");
    va_end(arguments);
}

void say_list(const char *words, const char *const *names, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *list = memory_text_open(&text, &size);
    if (list == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        fprintf(list, "%s %s", i > 0 ? "," : "", names[i]);
    if (fclose(list) == 0)
        note("%s:%s", words, text);
    free(text);
}

void say_progress(const char *format, ...)
{
    va_list arguments;
    if (listener != NULL)
        return;
    va_start(arguments, format);
    say("\r\033[K", format, arguments, "");
    fflush(stderr);
    va_end(arguments);
}

void say_progress_end(void)
{
    if (listener == NULL)
        fputs("\r\033[K", stderr);
}

void say_through(const char *text, size_t size_bytes)
{
    fwrite(text, 1, size_bytes, listener != NULL ? listener : stderr);
}

static size_t length_of(const char *name) /* longer ones are compared by their first bytes */
{
    return strnlen(name, EDIT_WORD_MAX);
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
    size_t length = length_of(word);
    size_t best = length / 3 + 2; /* a third of the letters may be wrong, and one more */
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t name_length = length_of(names[i]);
        size_t distance = edit_distance(word, length, names[i], name_length);
        if (distance < best && distance < (length > name_length ? length : name_length)) {
            best = distance;
            nearest = names[i];
        }
    }
    for (size_t i = 0; nearest == NULL && length >= 3 && i < count; i++) {
        if (strstr(names[i], word) != NULL)
            nearest = names[i]; /* a part of the name, e.g. without its arguments */
    }
    return nearest;
}

int fail_nearest(const char *words, const char *word, const char *const *names, size_t count)
{
    enum { MOST = 5 };
    const char *near[MOST];
    size_t found = 0, length = length_of(word);
    const char *nearest = nearest_name(word, names, count);
    size_t best = nearest != NULL ? edit_distance(word, length, nearest, length_of(nearest)) : 0;
    bool inside = best >= length / 3 + 2; /* none is near, some contain it */
    for (size_t i = 0; nearest != NULL && i < count && found < MOST; i++) {
        size_t name_length = length_of(names[i]);
        bool near_too = inside ? strstr(names[i], word) != NULL
                               : edit_distance(word, length, names[i], name_length) == best;
        for (size_t k = 0; k < found && near_too; k++)
            near_too = strcmp(near[k], names[i]) != 0; /* overloads have one short name */
        if (near_too)
            near[found++] = names[i];
    }
    if (found == 0)
        return fail("%s", words);
    char *text = NULL;
    size_t size = 0;
    FILE *list = memory_text_open(&text, &size);
    if (list == NULL)
        return fail("%s; did you mean %s?", words, nearest);
    for (size_t i = 0; i < found; i++)
        fprintf(list, "%s%s", i == 0 ? "" : i + 1 < found ? ", " : " or ", near[i]);
    if (fclose(list) == 0)
        fail("%s; did you mean %s?", words, text);
    else
        fail("%s; did you mean %s?", words, nearest);
    free(text);
    return 2;
}
