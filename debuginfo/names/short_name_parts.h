/*
 * The C++ library's templates, for short_name.c: which arguments of them are defaults, and what the
 * instances that have a name of their own are called.
 */
#ifndef FISQL_DEBUGINFO_NAMES_SHORT_NAME_PARTS_H
#define FISQL_DEBUGINFO_NAMES_SHORT_NAME_PARTS_H

#include <stddef.h>

/* A piece of text that does not end with a NUL. */
struct text_piece {
    const char *text;
    size_t length;
};

/* Of a template's arguments, themselves short, how many have to be written: the others are what they
 * are if they are left out, or say nothing. */
size_t std_arguments_shown(struct text_piece name, const struct text_piece *arguments,
                           size_t count);

/* What an instance such as std::basic_string<char> is called: `name` gets up to size - 1 bytes, and
 * its length is returned; 0 where it has no other name. */
size_t std_alias(struct text_piece instance, char *name, size_t size);

/* The first of the parts of a name in std is `part`: is it an inline namespace, which nobody writes?
 */
int std_inline_namespace(struct text_piece part);

#endif
