/* The words of an expression: see expression_parts.h. */
#include "debuginfo/expressions/expression_parts.h"

#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The value of a digit up to 16, or 99. */
static unsigned digit(char c)
{
    return is_digit(c)            ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 99;
}

/* C's type of a constant: the first that holds it of int, (unsigned int,) long, (unsigned long). */
static void type_number(struct word *word, bool decimal)
{
    bool may_be_unsigned = word->is_unsigned || !decimal;
    bool fits_int = word->number <= INT32_MAX && !word->is_unsigned;
    bool fits_unsigned = word->number <= UINT32_MAX && may_be_unsigned;
    word->is_long = word->is_long || (!fits_int && !fits_unsigned);
    if (!word->is_unsigned)
        word->is_unsigned =
            may_be_unsigned && word->number > (word->is_long ? (uint64_t)INT64_MAX : INT32_MAX);
    if (word->is_long && !word->is_unsigned && word->number > INT64_MAX)
        word->kind = WORD_WRONG;
}

static void read_number(const char *text, size_t end, struct word *word)
{
    size_t at = word->from;
    unsigned base = 10;
    bool none = true;
    if (text[at] == '0' && at + 1 < end && (text[at + 1] == 'x' || text[at + 1] == 'X')) {
        base = 16;
        at += 2;
    } else if (text[at] == '0') {
        base = 8;
    }
    word->kind = WORD_NUMBER;
    for (; at < end && digit(text[at]) < base; at++) {
        none = false;
        if (word->number > (UINT64_MAX - digit(text[at])) / base)
            word->kind = WORD_WRONG;
        word->number = word->number * base + digit(text[at]);
    }
    for (; at < end && strchr("uUlL", text[at]) != NULL; at++) {
        bool is_u = text[at] == 'u' || text[at] == 'U';
        word->is_unsigned = word->is_unsigned || is_u;
        word->is_long = word->is_long || !is_u;
    }
    for (; at < end && (is_letter(text[at]) || is_digit(text[at]) || text[at] == '.'); at++)
        none = true; /* 08, 1.5, 2x */
    word->bytes = at - word->from;
    if (none)
        word->kind = WORD_WRONG;
    if (word->kind == WORD_NUMBER)
        type_number(word, base == 10);
}

/* 'x' */
static void read_character(const char *text, size_t end, struct word *word)
{
    static const char letters[] = "n\nt\tr\r0\0\\\\''";
    size_t at = word->from + 1;
    bool escaped = at < end && text[at] == '\\';
    at += escaped;
    word->kind = WORD_WRONG;
    word->bytes = end - word->from;
    if (at + 1 >= end || text[at + 1] != '\'' || (unsigned char)text[at] >= 0x80 ||
        (!escaped && text[at] == '\''))
        return;
    word->bytes = at + 2 - word->from;
    if (!escaped) {
        word->kind = WORD_NUMBER;
        word->number = (unsigned char)text[at];
    }
    for (size_t i = 0; escaped && i + 1 < sizeof letters; i += 2)
        if (letters[i] == text[at]) {
            word->kind = WORD_NUMBER;
            word->number = (unsigned char)letters[i + 1];
        }
}

static void read_mark(const char *text, size_t end, struct word *word)
{
    static const char *const marks[] = {"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
                                        "+",  "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~",
                                        "!",  "<",  ">",  "(",  ")",  "[",  "]",  "."};
    word->kind = WORD_WRONG;
    word->bytes = 1;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t length = strlen(marks[i]);
        if (end - word->from < length || memcmp(text + word->from, marks[i], length) != 0)
            continue;
        word->kind = WORD_MARK;
        word->bytes = length;
        memcpy(word->mark, marks[i], length);
        return;
    }
}

struct word word_read(const char *text, size_t from, size_t end)
{
    while (from < end && (text[from] == ' ' || text[from] == '\t'))
        from++;
    struct word word = {.kind = WORD_END, .from = from};
    if (from == end)
        return word;
    if (is_letter(text[from])) {
        word.kind = WORD_NAME;
        for (size_t at = from; at < end && (is_letter(text[at]) || is_digit(text[at])); at++)
            word.bytes++;
    } else if (is_digit(text[from])) {
        read_number(text, end, &word);
    } else if (text[from] == '\'') {
        read_character(text, end, &word);
    } else {
        read_mark(text, end, &word);
    }
    return word;
}

size_t expression_end(const char *text, size_t from)
{
    size_t end = strlen(text);
    unsigned open = 0;
    while (from < end) {
        struct word word = word_read(text, from, end);
        if (word.kind == WORD_END)
            break;
        if (word.kind == WORD_WRONG && text[word.from] == ',' && open == 0)
            return word.from;
        if (word.kind == WORD_MARK && (word.mark[0] == '(' || word.mark[0] == '['))
            open++;
        if (word.kind == WORD_MARK && (word.mark[0] == ')' || word.mark[0] == ']') && open > 0)
            open--;
        from = word.from + word.bytes;
    }
    return end;
}
