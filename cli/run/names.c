/*
 * Names of functions: see names.h.
 *
 * A demangled C++ name is read once from left to right. Bracketed parts are skipped, except those
 * that are part of the name itself: (anonymous namespace), {lambda#1}, and what follows `operator`.
 * A space outside brackets ends a return type, so what came before it is dropped.
 */
#include "cli/run/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool name_style_parse(const char *word, enum name_style *style)
{
    static const char *const words[] = {"full", "short", "no"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(word, words[i]) == 0) {
            *style = (enum name_style)i;
            return true;
        }
    }
    return false;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool in_word(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_' || (letter & 0x80) != 0;
}

/* The end of the bracketed part that opens at `at`; the end of the text where it is not closed. */
static const char *skip_brackets(const char *at)
{
    int depth = 0;
    const char *from = at;
    for (; *at != '\0'; at++) {
        bool arrow = *at == '>' && at > from && at[-1] == '-';
        if (strchr("<([{", *at) != NULL)
            depth++;
        else if (strchr(">)]}", *at) != NULL && !arrow && --depth == 0)
            return at + 1;
    }
    return at;
}

/* The end of an operator's name: "operator<<", "operator()", "operator new[]", "operator bool". */
static const char *skip_operator(const char *at)
{
    at += strlen("operator");
    if (strncmp(at, "()", 2) == 0 || strncmp(at, "[]", 2) == 0)
        return at + 2;
    if (*at == ' ') { /* new, delete, or the type of a conversion */
        at += strcspn(at, "(");
        return at;
    }
    static const char *const symbols[] = {"<=>", "->*", "<<=", ">>=", "->", "++", "--", "<<",
                                          ">>",  "<=",  ">=",  "==",  "!=", "&&", "||", "+=",
                                          "-=",  "*=",  "/=",  "%=",  "^=", "&=", "|="};
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        if (starts(at, symbols[i]))
            return at + strlen(symbols[i]);
    }
    return *at != '\0' ? at + 1 : at;
}

/* Copies a closure's braces without what is between its parentheses: {lambda(int)#1}. */
static const char *copy_closure(const char *at, char **to)
{
    const char *end = skip_brackets(at);
    while (at < end) {
        if (*at == '(')
            at = skip_brackets(at);
        else
            *(*to)++ = *at++;
    }
    return end;
}

char *name_short(const char *name)
{
    static const char anonymous[] = "(anonymous namespace)";
    char *text = malloc(strlen(name) + 1), *to = text;
    if (text == NULL)
        return NULL;
    bool closed = false; /* the parameter list is over: only "::" opens a further part */
    for (const char *at = name; *at != '\0';) {
        bool word_start = at == name || !in_word(at[-1]);
        if (closed && !starts(at, "::")) {
            at++;
        } else if (starts(at, anonymous)) {
            memcpy(to, anonymous, strlen(anonymous));
            to += strlen(anonymous);
            at += strlen(anonymous);
        } else if (word_start && starts(at, "operator") && !in_word(at[8])) {
            const char *end = skip_operator(at);
            memcpy(to, at, (size_t)(end - at));
            to += end - at;
            at = end;
        } else if (*at == '{') {
            at = copy_closure(at, &to);
        } else if (*at == '<' && (to == text || to[-1] == ' ')) { /* Rust: <T as Trait>::f */
            const char *end = skip_brackets(at);
            memcpy(to, at, (size_t)(end - at));
            to += end - at;
            at = end;
        } else if (*at == '<' || *at == '[') {
            at = skip_brackets(at);
        } else if (*at == '(' && at > name && at[-1] == ' ' && (at[1] == '&' || at[1] == '*')) {
            to = text; /* the result is a function or an array: type (&name(...))(...) */
            at += 1 + strspn(at + 1, "&*");
        } else if (*at == '(') {
            at = skip_brackets(at);
            closed = true;
        } else if (starts(at, " <") && to > text && !in_word(to[-1])) {
            at = skip_brackets(at + 1); /* operator<< <int> */
        } else if (*at == ' ') {
            if (starts(at, " ["))
                break; /* [clone .cold] */
            to = text;
            at++;
        } else {
            closed = false;
            *to++ = *at++;
        }
    }
    *to = '\0';
    if (to == text)
        strcpy(text, name);
    return text;
}

int names_init(struct names *names, enum name_style style, sqlite3 *database)
{
    *names = (struct names){.style = style};
    if (style == NAMES_FULL)
        return SQLITE_OK;
    return sqlite3_prepare_v2(
        database, "SELECT coalesce(linkage_name, name) FROM functions WHERE name = ?1 LIMIT 1", -1,
        &names->lookup, NULL);
}

void names_release(struct names *names)
{
    sqlite3_finalize(names->lookup);
    *names = (struct names){0};
}

/* The function's name in the style, NULL where the text names no function. */
static char *styled(const struct names *names, const char *name)
{
    char *text = NULL;
    sqlite3_bind_text(names->lookup, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(names->lookup) == SQLITE_ROW)
        text = names->style == NAMES_SHORT
                   ? name_short(name)
                   : strdup((const char *)sqlite3_column_text(names->lookup, 0));
    sqlite3_reset(names->lookup);
    return text;
}

/* Length of a separator at `at`, 0 if there is none. */
static size_t separator_length(const char *at)
{
    static const char *const separators[] = {" > ", " -> ", ", ", "; "};
    for (size_t i = 0; i < sizeof separators / sizeof separators[0]; i++) {
        if (starts(at, separators[i]))
            return strlen(separators[i]);
    }
    return 0;
}

char *names_rewrite(const struct names *names, const char *text)
{
    if (names->style == NAMES_FULL)
        return strdup(text);
    char *whole = styled(names, text);
    if (whole != NULL)
        return whole;
    char *result = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&result, &size);
    if (out == NULL)
        return NULL;
    for (const char *from = text; *from != '\0';) {
        const char *at = from;
        while (*at != '\0' && separator_length(at) == 0) {
            bool opens =
                strchr("<([{", *at) != NULL && !(at >= from + 8 && starts(at - 8, "operator"));
            at = opens ? skip_brackets(at) : at + 1;
        }
        char *part = strndup(from, (size_t)(at - from));
        char *name = part != NULL ? styled(names, part) : NULL;
        fputs(name != NULL ? name : part != NULL ? part : "", out);
        free(name);
        free(part);
        size_t length = separator_length(at);
        fwrite(at, 1, length, out);
        from = at + length;
    }
    if (fclose(out) != 0) {
        free(result);
        return NULL;
    }
    return result;
}
