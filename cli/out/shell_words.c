/* See shell_words.h. The rules are those of "Shell Command Language", 2.2 Quoting, of POSIX.1-2017. */
#include "cli/out/shell_words.h"

#include "base/must.h"

#include <stdbool.h>
#include <string.h>

static const char plain[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+@%-";

/* What is written so far, and where it has to end. */
struct shell_text {
    char *at;
    const char *end;
    bool full;
};

static void put(struct shell_text *text, const char *part, size_t length)
{
    if (text->full || (size_t)(text->end - text->at) < length) {
        text->full = true;
        return;
    }
    memcpy(text->at, part, length);
    text->at += length;
}

static void put_word(struct shell_text *text, const char *word)
{
    if (word[0] != 0 && word[strspn(word, plain)] == 0) {
        put(text, word, strlen(word));
        return;
    }
    put(text, "'", 1);
    for (const char *part = word, *end; *part != 0; part = end) {
        end = strchrnul(part, '\'');
        put(text, part, (size_t)(end - part));
        if (*end != 0) {
            put(text, "'\"'\"'", 5);
            end++;
        }
    }
    put(text, "'", 1);
}

size_t shell_words(char *text, size_t size, const char *const *words)
{
    static const char more[] = " ...";
    must(size > sizeof more);
    /* Behind the end is room for what says that there are more words, and for the NUL. */
    struct shell_text out = {.at = text, .end = text + size - sizeof more};
    char *done = text;
    for (const char *const *word = words; *word != NULL && !out.full; word++) {
        done = out.at;
        if (word != words)
            put(&out, " ", 1);
        put_word(&out, *word);
    }
    if (out.full) {
        memcpy(done, more, sizeof more);
        return (size_t)(done - text) + sizeof more - 1;
    }
    *out.at = 0;
    return (size_t)(out.at - text);
}
