/* Changes of values: see value_change.h. Structs are texts as value_struct.c writes them: {a = 1, b = {c = 2}}. */
#include "cli/run/value_change.h"

#include <stdbool.h>
#include <string.h>

#define NESTING_MAX 32

/* Bytes of a text. */
struct span {
    const char *at;
    size_t bytes;
};

static bool same(struct span a, struct span b)
{
    return a.bytes == b.bytes && memcmp(a.at, b.at, a.bytes) == 0;
}

static bool is_struct(struct span text)
{
    return text.bytes >= 2 && text.at[0] == '{' && text.at[text.bytes - 1] == '}';
}

/* The first byte behind a quoted text or character, or the end. */
static size_t quoted_end(struct span text, size_t at)
{
    char quote = text.at[at++];
    while (at < text.bytes && text.at[at] != quote)
        at += text.at[at] == '\\' ? 2 : 1;
    return at < text.bytes ? at + 1 : text.bytes;
}

/* Takes the first member off a struct's inside: up to a comma outside of brackets and quotes. */
static bool next_member(struct span *rest, struct span *name, struct span *value)
{
    size_t at = 0, equals = 0, depth = 0;
    if (rest->bytes == 0)
        return false;
    while (at < rest->bytes && (rest->at[at] != ',' || depth > 0)) {
        char c = rest->at[at];
        if (c == '"' || c == '\'') {
            at = quoted_end(*rest, at);
            continue;
        }
        depth += c == '{';
        depth -= c == '}' && depth > 0;
        if (c == '=' && depth == 0 && equals == 0)
            equals = at;
        at++;
    }
    size_t skipped = equals > 0 && equals + 2 <= at ? equals + 2 : 0;
    *name = (struct span){rest->at, skipped};
    *value = (struct span){rest->at + skipped, at - skipped};
    size_t taken = at + 2 <= rest->bytes ? at + 2 : rest->bytes;
    rest->at += taken;
    rest->bytes -= taken;
    return true;
}

static bool same_members(struct span before, struct span after)
{
    struct span name, other, value;
    for (;;) {
        bool more = next_member(&before, &name, &value);
        if (more != next_member(&after, &other, &value))
            return false;
        if (!more)
            return true;
        if (!same(name, other))
            return false;
    }
}

static void put(sqlite3_str *out, struct span text)
{
    sqlite3_str_append(out, text.at, (int)text.bytes);
}

static void put_change(sqlite3_str *out, struct span before, struct span after, unsigned nesting)
{
    struct span was = {before.at + 1, before.bytes - 2}, is = {after.at + 1, after.bytes - 2};
    if (same(before, after)) {
        put(out, before);
        return;
    }
    if (!is_struct(before) || !is_struct(after) || nesting == NESTING_MAX ||
        !same_members(was, is)) {
        put(out, before);
        sqlite3_str_appendall(out, " -> ");
        put(out, after);
        return;
    }
    struct span name, old, new;
    const char *between = "";
    sqlite3_str_appendchar(out, 1, '{');
    while (next_member(&was, &name, &old) && next_member(&is, &name, &new)) {
        if (same(old, new))
            continue;
        sqlite3_str_appendall(out, between);
        put(out, name);
        put_change(out, old, new, nesting + 1);
        between = ", ";
    }
    sqlite3_str_appendchar(out, 1, '}');
}

void value_change_put(sqlite3_str *out, const char *before, const char *after)
{
    put_change(out, (struct span){before, strlen(before)}, (struct span){after, strlen(after)}, 0);
}
