/*
 * Short names: see short_name.h.
 *
 * We read a demangled name once from left to right, bracket by bracket, and write it shortened.
 * Whether an argument of a template is a default shows only when it is written: we then take it
 * back by moving the end (`length`). `<` opens arguments behind a name; elsewhere, as in `(a)<(b)`,
 * it is an operator. `>` closes only the `<` opened last.
 *
 * A program may give its functions any names: nesting and output are bounded, and a name whose
 * brackets do not match stays whole.
 */
#include "debuginfo/names/short_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo/names/short_name_parts.h"

enum { DEPTH_MAX = 100, ARGUMENTS_MAX = 32, ALIAS_MAX = 80 };

struct shortener {
    const char *at, *end; /* still to read */
    char *out;
    size_t length, size;
    int depth;
    bool failed;
};

static const char anonymous[] = "(anonymous namespace)";

/* ---- reading and writing ---- */

static bool next_is(const struct shortener *s, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(s->end - s->at) >= length && memcmp(s->at, text, length) == 0;
}

static char peek(const struct shortener *s, size_t ahead)
{
    return (size_t)(s->end - s->at) > ahead ? s->at[ahead] : '\0';
}

static bool skip(struct shortener *s, const char *text)
{
    bool is = next_is(s, text);
    if (is)
        s->at += strlen(text);
    return is;
}

static void put(struct shortener *s, const char *text, size_t length)
{
    if (s->size - s->length <= length) {
        s->failed = true;
        return;
    }
    memcpy(s->out + s->length, text, length);
    s->length += length;
}

static void put_next(struct shortener *s, size_t length)
{
    put(s, s->at, length);
    s->at += length;
}

static bool in_word(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_' || letter == '$' || letter == '.' ||
           (letter & 0x80) != 0;
}

static char last_of(const struct shortener *s, size_t from)
{
    return s->length > from ? s->out[s->length - 1] : '\0';
}

/* ---- brackets ---- */

static void copy_token(struct shortener *s, size_t item, size_t *name, char closer);

/* Copies up to the closer, or to a comma on this level. */
static void copy_item(struct shortener *s, char closer)
{
    const size_t item = s->length;
    size_t name = item;
    while (!s->failed && s->at < s->end && *s->at != closer && *s->at != ',')
        copy_token(s, item, &name, closer);
}

/* Copies items, and reads their closer without writing it. starts[] gets the places in the output
 * of the first ARGUMENTS_MAX. Returns the number of items. */
static size_t copy_list(struct shortener *s, char closer, size_t *starts)
{
    size_t count = 0;
    if (++s->depth > DEPTH_MAX)
        s->failed = true;
    while (!s->failed) {
        while (skip(s, " "))
            ;
        if (count < ARGUMENTS_MAX)
            starts[count] = s->length;
        count++;
        copy_item(s, closer);
        if (!skip(s, ","))
            break;
        put(s, ", ", 2);
    }
    s->depth--;
    if (s->at < s->end && *s->at == closer)
        s->at++;
    else
        s->failed = true;
    return count;
}

/* Copies brackets with their items shortened. */
static void copy_group(struct shortener *s, char closer)
{
    size_t starts[ARGUMENTS_MAX];
    put_next(s, 1);
    copy_list(s, closer, starts);
    put(s, &closer, 1);
}

/* ---- templates ---- */

/* Copies template arguments behind a name, except defaults. The name may change, to std::string for
 * instance. */
static void copy_arguments(struct shortener *s, size_t name)
{
    size_t starts[ARGUMENTS_MAX], open = s->length;
    struct text_piece pieces[ARGUMENTS_MAX];
    bool spaced = skip(s, " "); /* operator< <int> */
    put(s, " <", 2);
    if (!spaced) {
        s->length--;
        s->out[s->length - 1] = '<';
    }
    s->at++;
    size_t count = copy_list(s, '>', starts), shown = count;
    if (s->failed)
        return;
    for (size_t i = 0; i < count && count <= ARGUMENTS_MAX; i++) {
        size_t end = i + 1 < count ? starts[i + 1] - 2 : s->length;
        pieces[i] = (struct text_piece){s->out + starts[i], end - starts[i]};
    }
    if (count <= ARGUMENTS_MAX)
        shown = std_arguments_shown((struct text_piece){s->out + name, open - name}, pieces, count);
    if (shown == 0) {
        s->length = open;
        return;
    }
    if (shown < count)
        s->length = (size_t)(pieces[shown - 1].text - s->out) + pieces[shown - 1].length;
    put(s, ">", 1);
    char alias[ALIAS_MAX];
    size_t length =
        std_alias((struct text_piece){s->out + name, s->length - name}, alias, sizeof alias);
    if (length > 0 && length < sizeof alias) {
        s->length = name;
        put(s, alias, length);
    }
}

/* Drops the closure's call operator: people call it by the closure's name. */
static void skip_call_operator(struct shortener *s, size_t name)
{
    static const char call[] = "::operator()";
    char after = next_is(s, call) ? peek(s, strlen(call)) : 'x';
    if (after != '(' && after != '<' && after != '[' && after != '\0')
        return;
    s->at += strlen(call);
    if (peek(s, 0) == '<')
        copy_arguments(s, name);
}

/* {lambda(int)#1} -> {lambda#1}; copies other braces, such as {unnamed type#1}, as they are. */
static void copy_braces(struct shortener *s, size_t name)
{
    static const char lambda[] = "{lambda";
    if (!next_is(s, lambda)) {
        copy_group(s, '}');
        return;
    }
    put_next(s, strlen(lambda));
    size_t kept = s->length, starts[ARGUMENTS_MAX];
    while (!s->failed && (peek(s, 0) == '(' || peek(s, 0) == '<')) {
        char closer = *s->at++ == '(' ? ')' : '>';
        copy_list(s, closer, starts);
        s->length = kept;
    }
    while (peek(s, 0) == '#' || isdigit((unsigned char)peek(s, 0)))
        put_next(s, 1);
    if (peek(s, 0) != '}') {
        s->failed = true;
        return;
    }
    put_next(s, 1);
    skip_call_operator(s, name);
}

/* ---- words ---- */

/* Writes the class's short name for a constructor, too: std::string::string. */
static bool put_constructor(struct shortener *s, size_t name, size_t length)
{
    size_t end = s->length;
    if (length < 7 || memcmp(s->at, "basic_", 6) != 0 || end < name + 2)
        return false;
    if (s->out[end - 1] == '~')
        end--;
    size_t stem = length - 6;
    if (end < name + stem + 4 || memcmp(s->out + end - 2, "::", 2) != 0 ||
        memcmp(s->out + end - 2 - stem, s->at + 6, stem) != 0 || s->out[end - 3 - stem] != ':')
        return false;
    s->at += 6;
    put_next(s, stem);
    return true;
}

static void copy_word(struct shortener *s, size_t name)
{
    size_t length = 0, start = s->length;
    while (in_word(peek(s, length)))
        length++;
    bool closure = length > 2 && s->at[0] == '$' && s->at[1] == '_' && length < 12;
    for (size_t i = 2; closure && i < length; i++)
        closure = isdigit((unsigned char)s->at[i]);
    if (closure) { /* clang's main::$_0 */
        char text[40];
        int count = snprintf(text, sizeof text, "{lambda#%lu}", strtoul(s->at + 2, NULL, 10) + 1);
        s->at += length;
        put(s, text, (size_t)count);
        skip_call_operator(s, name);
        return;
    }
    if (put_constructor(s, name, length))
        return;
    put_next(s, length);
    bool in_std = start >= name + 5 && memcmp(s->out + name, "std::", 5) == 0;
    if (in_std && !s->failed && next_is(s, "::") &&
        std_inline_namespace((struct text_piece){s->out + start, length})) {
        s->length = start;
        s->at += 2;
    }
}

/* The type that a conversion operator returns: up to the "()" of its parameter list. */
static void copy_conversion(struct shortener *s, char closer)
{
    const size_t item = s->length;
    size_t name = item;
    while (!s->failed && s->at < s->end && *s->at != closer && *s->at != ',') {
        char after = peek(s, 2);
        if (next_is(s, "()") && after != '(' && after != '[')
            return;
        copy_token(s, item, &name, closer);
    }
}

/* Copies `operator` and its symbol or type. */
static void copy_operator(struct shortener *s, size_t name, char closer)
{
    static const char *const symbols[] = {
        "()", "[]", "<=>", "->*", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
        "!=", "&&", "||",  "+=",  "-=",  "*=",  "/=", "%=", "^=", "&=", "|=", "+",  "-",  "*",
        "/",  "%",  "^",   "&",   "|",   "~",   "!",  "=",  "<",  ">",  ",",  "?"};
    static const char *const words[] = {" new[]", " delete[]", " new", " delete", " co_await"};
    put_next(s, strlen("operator"));
    bool known = false;
    for (size_t i = 0; !known && i < sizeof symbols / sizeof symbols[0]; i++)
        if ((known = next_is(s, symbols[i])))
            put_next(s, strlen(symbols[i]));
    for (size_t i = 0; !known && i < sizeof words / sizeof words[0]; i++)
        if (next_is(s, words[i]) && !in_word(peek(s, strlen(words[i])))) {
            put_next(s, strlen(words[i]));
            known = true;
        }
    if (!known && skip(s, "\"\"")) { /* a literal's suffix */
        put(s, "\"\"", 2);
        known = true;
        do
            put_next(s, 1);
        while (in_word(peek(s, 0)));
    }
    if (!known && peek(s, 0) == ' ')
        copy_conversion(s, closer);
    else if (!known)
        s->failed = true;
    if (!s->failed && (next_is(s, " <") || peek(s, 0) == '<'))
        copy_arguments(s, name);
}

/* ---- parameter lists ---- */

static void skip_qualifiers(struct shortener *s)
{
    while (skip(s, " const") || skip(s, " volatile") || skip(s, " &&") || skip(s, " &") ||
           skip(s, "&&") || skip(s, "&"))
        ;
    while (next_is(s, "[abi:")) {
        while (s->at < s->end && *s->at != ']')
            s->at++;
        skip(s, "]");
    }
}

/* Does the parameter list belong to an enclosing function? Skips its qualifiers then: f(int)
 * const::x. */
static bool is_scope(struct shortener *s)
{
    const char *at = s->at;
    skip_qualifiers(s);
    bool scope = next_is(s, "::");
    if (!scope)
        s->at = at;
    return scope;
}

/* Copies parentheses within a type or an expression. Drops those of an enclosing function, and its
 * return type. */
static void copy_parentheses(struct shortener *s, size_t item, size_t *name)
{
    size_t before = s->length;
    bool function = *name < before;
    copy_group(s, ')');
    if (s->failed || !function || !is_scope(s))
        return;
    s->length = before;
    memmove(s->out + item, s->out + *name, before - *name);
    s->length -= *name - item;
    *name = item;
}

/* `<` opens template arguments behind a name; elsewhere it compares. */
static bool opens_arguments(const struct shortener *s, size_t item)
{
    char before = last_of(s, item);
    return in_word(before) || before == '>';
}

/* Copies one token of a type, an expression or a name. `item` and *name: where the current item and
 * name start in the output. */
static void copy_token(struct shortener *s, size_t item, size_t *name, char closer)
{
    char letter = *s->at;
    bool starts_word = !in_word(last_of(s, *name));
    if (next_is(s, anonymous)) {
        s->at += strlen(anonymous);
        put(s, "(anon)", 6);
    } else if (starts_word && next_is(s, "operator") && !in_word(peek(s, 8))) {
        copy_operator(s, *name, closer);
    } else if (in_word(letter)) {
        copy_word(s, *name);
    } else if (letter == '<' && opens_arguments(s, item)) {
        copy_arguments(s, *name);
    } else if (letter == '(') {
        copy_parentheses(s, item, name);
    } else if (letter == '{') {
        copy_braces(s, *name);
    } else if (next_is(s, "[abi:")) {
        skip_qualifiers(s);
    } else if (letter == '[') {
        copy_group(s, ']');
    } else if (strchr(")]}", letter) != NULL) {
        s->failed = true;
    } else if (next_is(s, "::")) {
        put_next(s, 2);
    } else if (next_is(s, "->") || next_is(s, "<<")) {
        put_next(s, 2);
        *name = s->length;
    } else if (letter == ' ' && (peek(s, 1) == closer || peek(s, 1) == ' ')) {
        s->at++;
    } else {
        put_next(s, 1);
        if (letter != '~')
            *name = s->length;
    }
}

/* Skips "(*" or "(A::*" before a name inside its function's return type: void
 * (*name(int))(double). */
static bool skip_declarator(struct shortener *s)
{
    const char *at = s->at + 1;
    while (at < s->end && (in_word(*at) || *at == ':'))
        at++;
    if (at == s->end || (*at != '*' && *at != '&'))
        return false;
    while (at < s->end && (*at == '*' || *at == '&'))
        at++;
    s->at = at;
    return true;
}

/* Keeps the function's parameter list and qualifiers if wanted. */
static void copy_parameters(struct shortener *s, size_t before, bool wanted)
{
    if (!wanted) {
        s->length = before;
        return;
    }
    const char *from = s->at;
    skip_qualifiers(s);
    put(s, from, (size_t)(s->at - from));
}

/* Copies the function's name without what surrounds it. */
static void copy_function(struct shortener *s, bool parameters)
{
    size_t begin = s->length, name = begin;
    while (!s->failed && s->at < s->end) {
        size_t before = s->length;
        bool decltype = before - begin == 8 && memcmp(s->out + begin, "decltype", 8) == 0;
        if (next_is(s, " [")) {
            break; /* [clone .cold] */
        } else if (*s->at == ' ' && decltype &&peek(s, 1) == '(') {
            s->at++;
        } else if (*s->at == ' ') { /* a return type ends */
            s->at++;
            s->length = name = begin;
        } else if (*s->at == '(' && !next_is(s, anonymous)) {
            if (before == begin && skip_declarator(s))
                continue;
            copy_group(s, ')');
            if (decltype || before == begin) {
                s->length = name = begin;
            } else if (!is_scope(s)) {
                copy_parameters(s, before, parameters);
                break;
            } else {
                s->length = before;
            }
        } else {
            copy_token(s, begin, &name, '\0');
        }
    }
    if (s->length == begin)
        s->failed = true;
}

char *short_name(const char *text, bool parameters)
{
    static const char *const kinds[] = {
        "virtual thunk to ",   "non-virtual thunk to ",  "covariant return thunk to ",
        "guard variable for ", "TLS init function for ", "TLS wrapper function for ",
        "hidden alias for ",   "transaction clone for ", "non-transaction clone for "};
    static const char *const labels[] = {" [base]", " [deleting]"};
    size_t length = strlen(text), size = 4 * length + 64, label_length = 0;
    struct shortener s = {.at = text, .end = text + length, .out = malloc(size), .size = size};
    if (s.out == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        size_t bytes = strlen(labels[i]);
        if (length > bytes && memcmp(text + length - bytes, labels[i], bytes) == 0)
            label_length = bytes;
    }
    s.end -= label_length;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (next_is(&s, kinds[i])) {
            put_next(&s, strlen(kinds[i]));
            break;
        }
    copy_function(&s, parameters);
    s.at = s.end;
    put_next(&s, label_length);
    s.out[s.failed ? 0 : s.length] = '\0';
    char *name = strdup(s.failed ? text : s.out);
    free(s.out);
    return name;
}

bool short_name_applies(const char *linkage_name)
{
    const char *at = linkage_name + strspn(linkage_name, "_");
    if (at == linkage_name || *at != 'Z')
        return false;
    /* Rust's older names look like C++'s; they end with a hash: 17h0123456789abcdefE. */
    for (const char *hash = at; (hash = strstr(hash, "17h")) != NULL; hash++)
        if (strspn(hash + 3, "0123456789abcdef") == 16 && hash[19] == 'E')
            return false;
    return true;
}
