/*
 * Chosen threads: see thread_choice.h. The text is made by `fisql record` and `fisql control`, which know the names of
 * functions:
 *
 *     name PATTERN   of threads: *, ? and [...], one a line
 *     module PATH
 *     HEX            address in that module's file of a function that such threads begin with
 */
#include "collector/core/thread_choice.h"

#include "collector/core/lock.h"
#include "collector/core/module_names.h"
#include "collector/core/quiet.h"
#include "collector/core/thread_name.h"
#include "collector/process/process.h"

#include <string.h>

#define SKIP_MAX 4095u

THREAD_LOCAL struct thread_choice thread_choice;
uint32_t thread_choices;
static uint32_t text_lock; /* guards the text; taken with signals blocked */
static const char *text;
static size_t text_bytes;

/* ---- patterns ---- */

/* Is `byte` one of a set "[...]"? *at comes behind it. */
static bool set_has(const char **at, const char *end, char byte)
{
    const char *next = *at + 1;
    bool inverse = next < end && (*next == '!' || *next == '^'), has = false;
    next += inverse;
    for (bool first = true; next < end && (first || *next != ']'); first = false) {
        char low = *next++, high = low;
        if (next + 1 < end && *next == '-' && next[1] != ']') {
            high = next[1];
            next += 2;
        }
        has |= byte >= low && byte <= high;
    }
    *at = next < end ? next + 1 : next;
    return has != inverse;
}

/* Does one character of the pattern at *at match? */
static bool one_matches(const char **at, const char *end, char byte)
{
    if (**at == '[' && memchr(*at, ']', (size_t)(end - *at)) != NULL)
        return set_has(at, end, byte);
    char wanted = *(*at)++;
    return wanted == '?' || wanted == byte;
}

/* Goes back to the last '*' only, which finds a match if there is one. */
static bool matches(const char *pattern, const char *end, const char *name)
{
    const char *star = NULL, *star_name = NULL;
    while (*name != 0) {
        if (pattern < end && *pattern == '*') {
            star = ++pattern;
            star_name = name;
        } else if (pattern < end && one_matches(&pattern, end, *name)) {
            name++;
        } else if (star != NULL) {
            pattern = star;
            name = ++star_name;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

/* ---- the choice ---- */

static uint64_t hex_value(const char *at, const char *end)
{
    uint64_t value = 0;
    for (; at < end; at++)
        value = value << 4 | (uint64_t)(*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
    return value;
}

static bool begins(const char *line, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - line) >= length && memcmp(line, word, length) == 0;
}

static bool text_has(const char *name, uint64_t function)
{
    const struct module_name *module = function != 0 ? module_names_find(function) : NULL;
    bool here = false;
    for (const char *line = text, *end; line < text + text_bytes; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + text_bytes - line));
        if (end == NULL)
            return false;
        if (begins(line, end, "name ")) {
            if (matches(line + 5, end, name))
                return true;
        } else if (begins(line, end, "module ")) {
            here = module != NULL && (size_t)(end - line - 7) == strlen(module->path) &&
                   memcmp(line + 7, module->path, (size_t)(end - line - 7)) == 0;
        } else if (here && hex_value(line, end) + module->bias == function) {
            return true;
        }
    }
    return false;
}

bool thread_choice_make(void)
{
    struct thread_choice *choice = &thread_choice;
    char name[THREAD_NAME_BYTES];
    choice->number = __atomic_load_n(&thread_choices, __ATOMIC_ACQUIRE) + 1;
    if (choice->will != THREAD_WILL_NONE)
        return choice->chosen = choice->will == THREAD_WILL_ON;
    thread_name_get(name);
    lock_acquire(&text_lock);
    choice->chosen = text == NULL || text_has(name, choice->function);
    lock_release(&text_lock);
    return choice->chosen;
}

bool thread_choice_ask(void)
{
    struct thread_choice *choice = &thread_choice;
    bool known = choice->number == __atomic_load_n(&thread_choices, __ATOMIC_RELAXED) + 1;
    if (known && choice->chosen)
        return true;
    if (thread_choice_skips())
        return false;
    struct quiet quiet;
    quiet_begin(&quiet);
    bool chosen = thread_choice_make();
    quiet_end(&quiet);
    if (!known)
        choice->skipped = 0;
    choice->skipped = choice->skipped < SKIP_MAX ? 2 * choice->skipped + 1 : SKIP_MAX;
    choice->skip = chosen ? 0 : choice->skipped;
    return chosen;
}

const char *thread_choice_text(const char *fresh, size_t size_bytes, size_t *before_bytes)
{
    lock_acquire(&text_lock);
    const char *before = text;
    *before_bytes = text_bytes;
    text = fresh;
    text_bytes = size_bytes;
    __atomic_fetch_add(&thread_choices, 1, __ATOMIC_RELEASE);
    lock_release(&text_lock);
    return before;
}

void thread_choice_forked(void)
{
    lock_forked(&text_lock);
}
